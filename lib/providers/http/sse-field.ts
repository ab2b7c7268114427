const SPACE = 0x20;
const DATA = 'data:';
// A byte order mark, byte by byte.
const BOM = '\xef\xbb\xbf';

/** Picks the value out of `data:` lines (WHATWG HTML, 9.2.6), wherever they are cut; other fields are skipped. */
export function createDataField(onValue: (part: Buffer) => void) {
  let name = '';
  let state: 'name' | 'space' | 'value' | 'other' = 'name';
  let isFirstLine = true;

  return {
    part(bytes: Buffer): void {
      let at = 0;
      while (state === 'name' && at < bytes.length) {
        name += String.fromCharCode(bytes[at] ?? 0);
        at += 1;
        if (isFirstLine && name === BOM) name = '';
        if (name.length === DATA.length) state = name === DATA ? 'space' : 'other';
      }
      if (state === 'space' && at < bytes.length) {
        if (bytes[at] === SPACE) at += 1;
        state = 'value';
      }
      if (state === 'value' && at < bytes.length) onValue(bytes.subarray(at));
    },

    /** The line is complete. Returns its kind. */
    end(): 'blank' | 'data' | 'other' {
      const isData = state === 'value' || state === 'space' || name === 'data';
      const kind = isData ? 'data' : name === '' ? 'blank' : 'other';
      name = '';
      state = 'name';
      isFirstLine = false;
      return kind;
    },
  };
}
