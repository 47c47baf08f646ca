# The package that find_package(arlab) finds.
