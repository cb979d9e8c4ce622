// A resolver of the test inside workerd. It answers with addresses of this machine only, and sends
// connections to port 443 of them to a listener of the test. No look-up leaves the machine.

/** Top-level domain that does not exist. A name is `<address in hexadecimal>.<this>`, 4 or 16 bytes. */
export const DOMAIN = 'rebound'

export const RESOLVER = `
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <sys/syscall.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
  const char *dot = node ? strchr(node, '.') : 0;
  if (!dot || strcmp(dot, ".${DOMAIN}")) return real(node, service, hints, found);
  unsigned char bytes[16];
  size_t length = (dot - node) / 2;
  for (size_t i = 0; i < length && i < 16; i++) sscanf(node + 2 * i, "%2hhx", &bytes[i]);
  char text[INET6_ADDRSTRLEN];
  inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text);
  FILE *log = fopen(getenv("LIBRARY_LOOKUPS"), "a");
  if (log) { fprintf(log, "%s\\n", text); fclose(log); }
  return real(text, service, hints, found);
}
int connect(int socket, const struct sockaddr *address, socklen_t length) {
  struct sockaddr_storage copy;
  memcpy(&copy, address, length);
  in_port_t *port = address->sa_family == AF_INET ? &((struct sockaddr_in *)&copy)->sin_port
    : address->sa_family == AF_INET6 ? &((struct sockaddr_in6 *)&copy)->sin6_port : 0;
  if (port && ntohs(*port) == 443) *port = htons(atoi(getenv("LIBRARY_PORT")));
  return syscall(SYS_connect, socket, &copy, length);
}
`

/** Returns the name that the resolver answers with these bytes. */
export function nameOf(bytes: readonly number[]): string {
  return `${Buffer.from(bytes).toString('hex')}.${DOMAIN}`
}
