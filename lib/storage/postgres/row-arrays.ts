/** The type of a column that is passed as an array. */
export type ColumnType = 'text' | 'bigint' | 'integer';

/**
 * Describes rows that are passed as one array for each column, because the text of a statement then does not depend on the number
 * of rows. `first` is the number of the first parameter.
 */
export function rowArrays<Column extends string>(
  columns: Readonly<Record<Column, ColumnType>>,
  first = 1,
) {
  // The cast is safe, because the keys of the record are its columns.
  const names = Object.keys(columns) as Column[];
  const arrays = names.map((name, at) => `$${first + at}::${columns[name]}[]`);
  return {
    /** The SQL of the rows, for the FROM clause. The columns have the given names. */
    sql: `(SELECT * FROM unnest(${arrays.join(', ')}) AS one (${names.join(', ')}))`,

    /** The number of the next parameter. */
    next: first + names.length,

    /** Returns the parameters. */
    values: (rows: readonly Readonly<Partial<Record<Column, unknown>>>[]): readonly unknown[] =>
      names.map((name) => rows.map((row) => row[name] ?? null)),
  };
}
