#include <cstdio>

int main() { std::puts("pippin"); }
