#!/bin/sh
# Copies the Open MPI of this Debian, as far as one host needs it, to a folder that can be carried to a
# machine that has none: `. FOLDER/env` there, and mpirun works.
# Usage: tests/pack_mpi.sh FOLDER
set -eu
out=${1:?usage: tests/pack_mpi.sh FOLDER}
libraries=$(dirname "$(readlink -f "$(ldconfig -p | sed -n 's/.*libmpi\.so\.40 .*=> //p' | head -n 1)")")
plugins=$libraries/openmpi/lib/openmpi3
mkdir -p "$out/usr/bin" "$out/lib" "$out/plugins" "$out/share" "$out/etc" "$out/pmix/lib" "$out/pmix/share"

# Those of networks between hosts need libraries that are not copied.
for plugin in "$plugins"/mca_*.so; do
    case ${plugin##*/} in
    mca_*ucx*|mca_*ofi*|mca_*psm*|mca_btl_openib*|mca_btl_usnic*|mca_*portals*|mca_spml*|mca_scoll*|mca_sshmem*|mca_memheap*|mca_atomic*) ;;
    mca_io_*|mca_fs_*|mca_fcoll*|mca_fbtl*|mca_sharedfp*|mca_crcp*|mca_vprotocol*) ;;
    *) cp "$plugin" "$out/plugins" ;;
    esac
done
cp "$(readlink -f "$(command -v mpirun)")" "$out/usr/bin/mpirun"
cp "$(command -v orted)" "$out/usr/bin"
pmix=$(readlink -f "$libraries/pmix2/lib/libpmix.so.2")
cp -r "$libraries/pmix2/lib/pmix" "$out/pmix/lib"
rm -f "$out"/pmix/lib/pmix/*pcompress*
cp -r "$libraries/pmix2/share/." "$out/pmix/share"
cp "$pmix" "$out/lib/libpmix.so.2"
for file in "$out"/usr/bin/* "$out"/plugins/*.so "$out/lib/libpmix.so.2" "$libraries/libmpi.so.40"; do
    ldd "$file"
done | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux)[.-]' |
    while read -r library; do
        cp -n "$(readlink -f "$library")" "$out/lib/${library##*/}"
    done
cp "$(readlink -f "$libraries/libmpi.so.40")" "$out/lib/libmpi.so.40"
mkdir -p "$out/usr/share"
cp -rL /usr/share/openmpi "$out/usr/share/openmpi" 2> /dev/null || true
cp -rL /etc/openmpi "$out/etc/openmpi" 2> /dev/null || true
strip "$out"/lib/* "$out"/plugins/* "$out"/usr/bin/* 2> /dev/null || true
cat > "$out/env" <<'END'
# Sourced: the Open MPI in the folder that $MPI_FOLDER names.
export PATH="$MPI_FOLDER/usr/bin:$PATH" LD_LIBRARY_PATH="$MPI_FOLDER/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export OPAL_PREFIX="$MPI_FOLDER/usr" OPAL_LIBDIR="$MPI_FOLDER/lib" OPAL_PKGLIBDIR="$MPI_FOLDER/plugins"
export OPAL_PKGDATADIR="$MPI_FOLDER/usr/share/openmpi" OPAL_SYSCONFDIR="$MPI_FOLDER/etc/openmpi"
export PMIX_INSTALL_PREFIX="$MPI_FOLDER/pmix" PMIX_MCA_mca_base_component_path="$MPI_FOLDER/pmix/lib/pmix"
export PMIX_MCA_pmix_mca_base_component_path="$MPI_FOLDER/pmix/lib/pmix"
export PMIX_MCA_pcompress_base_silence_warning=1
export OMPI_MCA_mca_base_component_path="$MPI_FOLDER/plugins"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_btl=self,vader,tcp OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
END
