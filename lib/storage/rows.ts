import * as v from 'valibot';

/** A column that stores a boolean as 0 or 1. */
export const Flag = v.pipe(
  v.picklist([0, 1]),
  v.transform((flag) => flag === 1),
);

type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** Returns the row without its NULL columns. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  // The cast is safe because the filter removes exactly the columns that the return type makes optional.
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== null),
  ) as WithoutNulls<T>;
}
