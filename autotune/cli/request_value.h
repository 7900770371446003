/* request_value: stores the value of one option in the request. */
#ifndef AUTOTUNE_REQUEST_VALUE_H
#define AUTOTUNE_REQUEST_VALUE_H

#include "autotune/cli/request.h"

enum { REQUEST_NO_OPTION = 1 };

/* Takes the option's value (NULL for a flag). ERROR_USAGE names the option and a valid value;
 * REQUEST_NO_OPTION: `key` is no option of the request. */
int request_value(struct request *request, int key, const char *value, struct error *error);

#endif
