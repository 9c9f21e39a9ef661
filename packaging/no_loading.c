// SPDX-License-Identifier: Apache-2.0
/* SQLite can load extensions, which pippin never asks for; in a program that is linked statically what
   is loaded would want the libc that it was linked with. portable.cmake wraps dlopen. */
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode) {
  (void)file;
  (void)mode;
  return 0;
}
