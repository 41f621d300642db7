#ifndef AFTERWORD_CYAML_SHIM_H
#define AFTERWORD_CYAML_SHIM_H

#include <yaml.h>

#endif
