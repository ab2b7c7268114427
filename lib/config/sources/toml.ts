import { parse, stringify, TomlError } from 'smol-toml';

export type TomlReading =
  | { readonly ok: true; readonly table: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** Maximum nesting depth of tables and lists in one value. */
export const MAX_TOML_DEPTH = 32;

/**
 * Parses TOML. Tables have no prototype. An integer becomes a bigint, a float a number, and a date a `Date`. The message of a
 * failure never quotes the document, which may contain secrets.
 */
export function parseToml(text: string): TomlReading {
  try {
    return {
      ok: true,
      table: parse(text, { integersAsBigInt: true, maxDepth: MAX_TOML_DEPTH }),
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's message is one phrase, followed by an empty line and a quotation of the document.
    const [first = ''] = error.message.split('\n');
    const phrase = first.replace('Invalid TOML document: ', '');
    return { ok: false, line: error.line, message: `is not valid TOML: ${phrase}` };
  }
}

/** Parses a single value, such as the text after `key =`. Returns undefined if the text is not a value. */
export function parseTomlValue(text: string): unknown {
  const reading = parseToml(`value = ${text}`);
  // Rejects a text with line breaks that defines additional keys or tables.
  return reading.ok && Object.keys(reading.table).length === 1 ? reading.table['value'] : undefined;
}

/** Returns TOML that `parseToml` can read. Undefined members are omitted. */
export function toToml(table: object): string {
  return stringify(table);
}
