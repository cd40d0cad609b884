#include <cstdio>
int main() {
}
