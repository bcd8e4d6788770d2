#include "tools/lib/Mains.h"

int main(int argc, char **argv) { return heddle::tools::compileMain(argc, argv); }
