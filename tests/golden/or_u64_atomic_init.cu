// or of u64 accumulated in u64, for sm_90: pass 'init' of reduce, made from reduce.cu by
// autotune emit --op or --type u64 --acc u64 --arch sm_90 --pass init --variant BLOCK=256,ITEMS=16,VECTOR=2,UNROLL=8,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=1,FINISH=ATOMIC

typedef unsigned long long accum;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// Prepares the result for blocks that combine into it.
__global__ void reduce(accum *y)
{
    *y = identity();
}
