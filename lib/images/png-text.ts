/** PNG 3rd edition, 11.3.3.4. */
export interface InternationalText {
  readonly keyword: string;
  readonly flag: number;
  readonly method: number;
  /** UTF-8, or a zlib stream of it where the flag is 1. */
  readonly text: Buffer;
}

const MAX_KEYWORD_BYTES = 79;

/** An `iTXt` chunk: keyword, NUL, flag, method, language, NUL, translated keyword, NUL, text; undefined where it is none. */
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

/** Where the NUL stands after the keyword that begins a text chunk. */
export function keywordEnd(data: Buffer): number | undefined {
  const end = data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0);
  return end >= 1 ? end : undefined;
}
