// Preloaded into the service: names under .resolver.test are answered here, "slow-" ones late.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

typedef int (*getaddrinfo_fn)(const char*, const char*, const struct addrinfo*, struct addrinfo**);

static int is_under(const char* name, const char* domain) {
    size_t length = strlen(name), tail = strlen(domain);
    return length >= tail && strcmp(name + length - tail, domain) == 0;
}

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** result) {
    getaddrinfo_fn real = (getaddrinfo_fn)dlsym(RTLD_NEXT, "getaddrinfo");
    if (node == NULL || !is_under(node, ".resolver.test")) return real(node, service, hints, result);
    if (strncmp(node, "slow-", 5) == 0) sleep(5);
    if (strncmp(node, "two.", 4) != 0) return real("127.0.0.1", service, hints, result);
    int failed = real("127.0.0.2", service, hints, result);
    if (failed) return failed;
    struct addrinfo* last = *result;
    while (last->ai_next != NULL) last = last->ai_next;
    return real("127.0.0.1", service, hints, &last->ai_next);
}
