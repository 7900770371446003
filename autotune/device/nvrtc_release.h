/* nvrtc_release: says which releases of NVRTC compile for a GPU, also where none is here. */
#ifndef AUTOTUNE_NVRTC_RELEASE_H
#define AUTOTUNE_NVRTC_RELEASE_H

/* The releases that compile for `cc`: "12.x (13.0 dropped it)". */
const char *nvrtc_needed(int cc);

/* pip's package that has one: "nvidia-cuda-nvrtc-cu12". */
const char *nvrtc_package(int cc);

#endif
