/** PNG 3rd edition, 11.3.3.4. */
export interface InternationalText {
  readonly keyword: string;
  readonly flag: number;
  readonly method: number;
  /** UTF-8, or a zlib stream of it where the flag is 1. */
  readonly text: Buffer;
}

const MAX_KEYWORD_BYTES = 79;
/** Printable Latin-1; single spaces only between other characters. */
const KEYWORD = /^[!-~\xa1-\xff]+(?: [!-~\xa1-\xff]+)*$/;

/** An `iTXt` chunk: keyword, NUL, flag, method, language, NUL, translated keyword, NUL, text; undefined if it is not valid. */
export function toInternationalText(data: Buffer): InternationalText | undefined {
  const end = keywordEnd(data);
  if (end === undefined) return undefined;
  const languageEnd = data.indexOf(0, end + 3);
  const translatedEnd = languageEnd < 0 ? -1 : data.indexOf(0, languageEnd + 1);
  const flag = data[end + 1];
  const method = data[end + 2];
  if (translatedEnd < 0 || flag === undefined || method === undefined) return undefined;
  const keyword = data.toString('latin1', 0, end);
  return { keyword, flag, method, text: data.subarray(translatedEnd + 1) };
}

/** The position of the NUL after the keyword of a text chunk (PNG 3rd edition, 11.3.3.2). */
export function keywordEnd(data: Buffer): number | undefined {
  const end = data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0);
  return end >= 1 && KEYWORD.test(data.toString('latin1', 0, end)) ? end : undefined;
}

/** A `tEXt` chunk: keyword, NUL, text to its end. */
export function isPlainText(data: Buffer): boolean {
  const end = keywordEnd(data);
  return end !== undefined && !data.includes(0, end + 1);
}
