// Makes one of the allocations of the compiled backend fail: LD_PRELOAD, then `fail_at(k)`.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> left{-1};

bool by_the_backend(void* caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && std::strstr(info.dli_fname, "_native") &&
           !(info.dli_sname && std::strstr(info.dli_sname, "nanobind"));
}

void* allocate(std::size_t size, void* caller) {
    if (left >= 0 && by_the_backend(caller) && left-- == 0) throw std::bad_alloc();
    void* memory = std::malloc(size ? size : 1);
    if (!memory) throw std::bad_alloc();
    return memory;
}

}  // namespace

extern "C" void fail_at(long k) { left = k; }

extern "C" void* __libc_calloc(std::size_t n, std::size_t size);

extern "C" void* calloc(std::size_t n, std::size_t size) noexcept {
    if (left >= 0 && by_the_backend(__builtin_return_address(0)) && left-- == 0) return nullptr;
    return __libc_calloc(n, size);
}

void* operator new(std::size_t size) { return allocate(size, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return allocate(size, __builtin_return_address(0)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
