/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/ncu_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

enum { MOST_FIELDS = 64, NAME = 512 };
enum { ID, KERNEL, METRIC, VALUE, COLUMNS };

static const struct {
    const char *metric;
    double factor;
    bool adds;
} counters[] = {
#define X(name, metric, factor, adds) {metric, factor, adds},
    NCU_COUNTERS(X)
#undef X
};

/* State of reading a CSV. */
typedef struct reader {
    ncu_products *products;
    int column[COLUMNS];       /* index of each field that matters, once `begun` */
    char separator[NAME];      /* name of the separator's kernel; "": no launch was read yet */
    char id[32], kernel[NAME]; /* number and kernel of the launch whose lines are read */
    double launch[NCU_COUNT];  /* metrics of this launch; NaN: none */
    ncu_product sum;           /* sums over the launches since the last separator */
    double weight[NCU_COUNT];  /* weights by which each sum is to be divided */
} reader;

/* Splits a line at its commas, in place; fields may be in quotes, quotes doubled. */
static int split(char *line, char *field[MOST_FIELDS]) {
    int count = 0;
    for (char *at = line; count < MOST_FIELDS;) {
        char *to = at;
        bool quoted = *at == '"';
        field[count++] = to;
        for (at += quoted; *at && *at != '\n' && *at != '\r'; at++) {
            if (quoted && at[0] == '"' && at[1] == '"')
                at++;
            else if (*at == '"') {
                quoted = !quoted;
                continue;
            } else if (*at == ',' && !quoted)
                break;
            *to++ = *at;
        }
        bool more = *at == ',';
        at += more;
        *to = '\0';
        if (!more) break;
    }
    return count;
}

static bool find_columns(reader *r, char *const field[], int count) {
    static const char *const names[COLUMNS] = {"ID", "Kernel Name", "Metric Name", "Metric Value"};
    int found = 0;
    for (int c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < count; i++) {
            if (strcmp(field[i], names[c]) != 0) continue;
            r->column[c] = i;
            found++;
        }
    }
    return found == COLUMNS;
}

/* Reads a number such as "1,234.5"; NaN for text such as "n/a". */
static double number(const char *text) {
    char plain[64];
    size_t length = 0;
    for (; *text && length < sizeof plain - 1; text++) {
        if (*text != ',') plain[length++] = *text;
    }
    plain[length] = '\0';
    char *end = plain;
    double value = strtod(plain, &end);
    return end > plain ? value : (double)NAN;
}

static void reset(double values[NCU_COUNT], double to) {
    for (int i = 0; i < NCU_COUNT; i++) values[i] = to;
}

static void end_product(reader *r) {
    if (r->sum.launches > 0) {
        ncu_products *p = r->products;
        if (p->count == p->room) {
            int room = p->room ? 2 * p->room : 64;
            ncu_product *item = tool_alloc((size_t)room, sizeof *item);
            if (p->count) memcpy(item, p->item, (size_t)p->count * sizeof *item);
            free(p->item);
            p->item = item;
            p->room = room;
        }
        for (int i = 0; i < NCU_COUNT; i++) r->sum.counter[i] /= r->weight[i];
        p->item[p->count++] = r->sum;
    }
    r->sum = (ncu_product){0};
    reset(r->weight, 0);
}

static void add_launch(reader *r) {
    r->sum.launches++;
    double ms = isnan(r->launch[NCU_ms]) ? 1 : r->launch[NCU_ms];
    for (int i = 0; i < NCU_COUNT; i++) {
        double value = r->launch[i] * counters[i].factor;
        if (isnan(value)) continue;
        double weight = counters[i].adds ? 1 : ms;
        r->sum.counter[i] += weight * value;
        r->weight[i] = counters[i].adds ? 1 : r->weight[i] + ms;
    }
}

/* Adds the launch whose lines have all been read; the first launch of all is a separator. */
static void end_launch(reader *r) {
    if (!r->id[0]) return;
    if (!r->separator[0]) snprintf(r->separator, sizeof r->separator, "%s", r->kernel);
    if (strcmp(r->kernel, r->separator) == 0) {
        end_product(r);
    } else {
        add_launch(r);
    }
}

static void take(reader *r, char *const field[], int count) {
    for (int c = 0; c < COLUMNS; c++) {
        if (r->column[c] >= count) return;
    }
    if (strcmp(r->id, field[r->column[ID]]) != 0) {
        end_launch(r);
        snprintf(r->id, sizeof r->id, "%s", field[r->column[ID]]);
        snprintf(r->kernel, sizeof r->kernel, "%s", field[r->column[KERNEL]]);
        reset(r->launch, (double)NAN);
    }
    for (int i = 0; i < NCU_COUNT; i++) {
        if (strcmp(field[r->column[METRIC]], counters[i].metric) != 0) continue;
        r->launch[i] = number(field[r->column[VALUE]]);
    }
}

void ncu_csv_read(FILE *file, ncu_products *products, char why[512]) {
    reader r = {.products = products};
    bool begun = false;
    char *line = NULL, *field[MOST_FIELDS];
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        bool error = strncmp(line, "==ERROR==", 9) == 0;
        if (error && !why[0]) snprintf(why, 512, "%.*s", (int)strcspn(line, "\r\n"), line);
        if (strncmp(line, "==", 2) == 0) continue;
        int count = split(line, field);
        if (begun) {
            take(&r, field, count);
        } else {
            begun = find_columns(&r, field, count);
        }
    }
    end_launch(&r);
    free(line);
}
