/* request_value: how the value of one option becomes a field of the request. */
#ifndef AUTOTUNE_REQUEST_VALUE_H
#define AUTOTUNE_REQUEST_VALUE_H

#include "autotune/cli/request.h"

enum { REQUEST_NO_OPTION = 1 };

/* Takes the option's value (NULL of a flag). ERROR_USAGE names the option and what to give;
 * REQUEST_NO_OPTION: `key` is none. */
int request_value(struct request *request, int key, const char *value, struct error *error);

#endif
