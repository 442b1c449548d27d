/*
 * The name of the target that the compiler compiles for, as Rust and the folders of lib/ have it. The preprocessor
 * alone reads this file: cc $(CFLAGS) -E -P target.c
 */
#undef linux
#undef unix
#if defined(__ARM_ARCH_6M__)
thumbv6m-none-eabi
#elif defined(__ARM_ARCH_7M__)
thumbv7m-none-eabi
#elif defined(__ARM_ARCH_7EM__) && defined(__ARM_PCS_VFP)
thumbv7em-none-eabihf
#elif defined(__ARM_ARCH_7EM__)
thumbv7em-none-eabi
#elif (defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)) && defined(__ARM_PCS_VFP)
thumbv8m.main-none-eabihf
#elif defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
thumbv8m.main-none-eabi
#elif defined(__riscv) && __riscv_xlen == 32 && defined(__riscv_compressed) && defined(__riscv_mul)
#if defined(__riscv_float_abi_single) && defined(__riscv_atomic)
riscv32imafc-unknown-none-elf
#elif defined(__riscv_float_abi_soft) && defined(__riscv_atomic)
riscv32imac-unknown-none-elf
#elif defined(__riscv_float_abi_soft)
riscv32imc-unknown-none-elf
#endif
#elif defined(__x86_64__) && defined(__linux__) && defined(__LP64__)
x86_64-unknown-linux-gnu
#elif defined(__aarch64__) && defined(__linux__)
aarch64-unknown-linux-gnu
#endif
