import { parse, stringify, TomlError } from 'smol-toml';

export type TomlReading =
  | { readonly ok: true; readonly table: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** Tables within tables and lists within lists that one value may hold. */
export const MAX_TOML_DEPTH = 32;

/**
 * TOML to tables without prototype: integers as bigint, floats as number, dates as `Date`. The message of a refusal
 * says what is wrong, never what is written there.
 */
export function parseToml(text: string): TomlReading {
  try {
    return {
      ok: true,
      table: parse(text, { integersAsBigInt: true, maxDepth: MAX_TOML_DEPTH }),
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's message is one phrase of its own, an empty line and the faulty lines of the document.
    const [first = ''] = error.message.split('\n');
    const phrase = first.replace('Invalid TOML document: ', '');
    return { ok: false, line: error.line, message: `is not valid TOML: ${phrase}` };
  }
}

/** One value on its own, as after `key =`; undefined when it is none. */
export function parseTomlValue(text: string): unknown {
  const reading = parseToml(`value = ${text}`);
  // A text with line ends could continue with keys and tables of its own.
  return reading.ok && Object.keys(reading.table).length === 1 ? reading.table['value'] : undefined;
}

/** TOML that `parseToml` reads back; members that are undefined are left out. */
export function toToml(table: object): string {
  return stringify(table);
}
