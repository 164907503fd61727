// The cases of arithmetic, bits and comparisons in the interpreter's loop, by their forms: what is done with inline
// integers and doubles at once. For interpreter.cpp only, whose macros (CASE, R, SLOW ..) they are made of.
#pragma once

// Sums and differences. Two inline integers: the sum of the bits, corrected by the base, is inline again if it fits.
// An integer and a float are added as floats.
#define ARITHMETIC(Name, int_expression, double_expression, right)                                                     \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_integer(b & c)) [[likely]] {                                                                      \
            const Bits sum = int_expression;                                                                           \
            if (bits::is_integer(sum)) [[likely]] {                                                                    \
                R(A) = sum;                                                                                            \
                ADVANCE(1);                                                                                            \
                NEXT;                                                                                                  \
            }                                                                                                          \
        } else if (bits::is_double(b) && bits::is_double(c)) {                                                         \
            R(A) = bits::from_double(bits::to_double(b) double_expression bits::to_double(c));                         \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        } else if (bits::is_number_at_hand(b) && bits::is_number_at_hand(c)) {                                         \
            R(A) = bits::from_double(bits::number_at_hand(b) double_expression bits::number_at_hand(c));               \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        SLOW(arithmetic, 1);                                                                                           \
    }

// A product of integers that overflows, or does not fit inline, is left to the slow path; a float times an integer is
// not.
#define MULTIPLY(Name, right)                                                                                          \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_double(b) && bits::is_double(c)) {                                                                \
            R(A) = bits::from_double(bits::to_double(b) * bits::to_double(c));                                         \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        std::int64_t product;                                                                                          \
        if (bits::is_integer(b & c) && !__builtin_mul_overflow(bits::to_integer(b), bits::to_integer(c), &product) &&  \
            bits::fits_integer(product)) {                                                                             \
            R(A) = bits::from_integer(product);                                                                        \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        if (bits::is_double(b) && bits::is_integer(c)) {                                                               \
            R(A) = bits::from_double(bits::to_double(b) * static_cast<double>(bits::to_integer(c)));                   \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        if (bits::is_integer(b) && bits::is_double(c)) {                                                               \
            R(A) = bits::from_double(static_cast<double>(bits::to_integer(b)) * bits::to_double(c));                   \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        goto wide_product;                                                                                             \
    }

// Integers are divided as floats, which inline ones are exactly. A zero divisor is left to the slow path.
#define DIVISION(Name, right)                                                                                          \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_number_at_hand(b) && bits::is_number_at_hand(c)) [[likely]] {                                     \
            const double divisor = bits::number_at_hand(c);                                                            \
            if (divisor != 0.0) [[likely]] {                                                                           \
                R(A) = bits::from_double(bits::number_at_hand(b) / divisor);                                           \
                ADVANCE(1);                                                                                            \
                NEXT;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        SLOW(arithmetic, 1);                                                                                           \
    }

// Quotients of inline integers; a zero divisor goes to the slow path.
#define INTEGER_DIVISION(Name, right, expression)                                                                      \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_integer(b & c) && c != bits::kIntegerBase) [[likely]] {                                           \
            const std::int64_t x = bits::to_integer(b), y = bits::to_integer(c);                                       \
            const std::int64_t result = expression;                                                                    \
            if (bits::fits_integer(result)) {                                                                          \
                R(A) = bits::from_integer(result);                                                                     \
                ADVANCE(1);                                                                                            \
                NEXT;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        SLOW(arithmetic, 1);                                                                                           \
    }

#define BITWISE(Name, operation)                                                                                       \
    BITWISE_FORM(Name, operation, R(C))                                                                                \
    BITWISE_FORM(Name##K, operation, k[C])                                                                             \
    BITWISE_FORM(Name##WithK, operation, k[C])
#define BITWISE_FORM(Name, operation, right)                                                                           \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (!bits::is_integer(b & c)) SLOW(arithmetic, 1);                                                             \
        R(A) = bits::from_integer(bits::to_integer(b) operation bits::to_integer(c));                                  \
        ADVANCE(1);                                                                                                    \
        NEXT;                                                                                                          \
    }

#define SHIFT_LEFT(Name, right)                                                                                        \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        std::int64_t result;                                                                                           \
        if (bits::is_integer(b & c) && static_cast<std::uint64_t>(bits::to_integer(c)) < 63 &&                         \
            !__builtin_mul_overflow(bits::to_integer(b), std::int64_t{1} << bits::to_integer(c), &result) &&           \
            bits::fits_integer(result)) [[likely]] {                                                                   \
            R(A) = bits::from_integer(result);                                                                         \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        goto wide_product;                                                                                             \
    }
#define SHIFT_RIGHT(Name, right)                                                                                       \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_integer(b & c) && static_cast<std::uint64_t>(bits::to_integer(c)) < 64) [[likely]] {              \
            R(A) = bits::from_integer(bits::to_integer(b) >> bits::to_integer(c));                                     \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        SLOW(arithmetic, 1);                                                                                           \
    }

// The integer base keeps order, so the bits are compared as they are.
#define COMPARE(Name, operation)                                                                                       \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = R(C);                                                                                 \
        bool holds;                                                                                                    \
        if (bits::is_integer(b & c))                                                                                   \
            holds = b operation c;                                                                                     \
        else if (bits::is_double(b) && bits::is_double(c))                                                             \
            holds = bits::to_double(b) operation bits::to_double(c);                                                   \
        else                                                                                                           \
            SLOW(compare_value, 1);                                                                                    \
        R(A) = holds ? bits::kTrue : bits::kFalse;                                                                     \
        ADVANCE(1);                                                                                                    \
        NEXT;                                                                                                          \
    }

// A jump on a comparison: `wanted` is the truth that jumps. The taken side charges A.
#define COMPARE_JUMP(Name, operation, wanted, right)                                                                   \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_integer(b & c)) [[likely]] {                                                                      \
            if ((b operation c) == wanted) goto take_jump;                                                             \
        } else if (bits::is_double(b) && bits::is_double(c)) {                                                         \
            if ((bits::to_double(b) operation bits::to_double(c)) == wanted) goto take_jump;                           \
        } else {                                                                                                       \
            goto compare_jump_slow_##wanted;                                                                           \
        }                                                                                                              \
        ADVANCE(2);                                                                                                    \
        NEXT;                                                                                                          \
    }

// Equality of anything but two inline integers, and what equal_at_once knows, is the slow path's.
#define EQUAL_JUMP(Name, wanted, right)                                                                                \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = right;                                                                                \
        if (bits::is_integer(b & c)) [[likely]] {                                                                      \
            if ((b == c) == wanted) goto take_jump;                                                                    \
            ADVANCE(2);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        const int is_equal = are_other_texts(b, c) ? 0 : equal_at_once(b, c);                                          \
        if (is_equal < 0) goto compare_jump_slow_##wanted;                                                             \
        if ((bits::is_counted(b) || bits::is_counted(c)) && taken(base, pc) != 0) SlowPaths::drop_taken(vm, base, pc); \
        if (is_equal == wanted) goto take_jump;                                                                        \
        ADVANCE(2);                                                                                                    \
        NEXT;                                                                                                          \
    }

// The smaller or larger of two numbers of one kind: a NaN if there is one, the second of equal zeros.
#define EXTREME(Name, operation)                                                                                       \
    CASE(Name) : {                                                                                                     \
        const Bits b = R(B), c = R(C);                                                                                 \
        if (bits::is_integer(b & c)) [[likely]] {                                                                      \
            R(A) = b operation c ? b : c;                                                                              \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        if (bits::is_double(b) && bits::is_double(c)) {                                                                \
            const double x = bits::to_double(b);                                                                       \
            R(A) = x operation bits::to_double(c) || x != x ? b : c;                                                   \
            ADVANCE(1);                                                                                                \
            NEXT;                                                                                                      \
        }                                                                                                              \
        SLOW_STEP(Name);                                                                                               \
    }
