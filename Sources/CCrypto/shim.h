// The API of OpenSSL 1.1.0. Version 3 marks SHA256_Init and its siblings as deprecated in favour of EVP, which allocates
// memory for each hash.
#define OPENSSL_API_COMPAT 10100
#include <openssl/sha.h>
