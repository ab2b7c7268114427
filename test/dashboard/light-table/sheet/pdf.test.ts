import { describe, expect, it } from 'vitest';
import { toPdf } from '../../../../dashboard/src/light-table/sheet/pdf.ts';

const JPEG = new Uint8Array([0xff, 0xd8, 0x80, 0x0a, 0xff, 0xd9]);

/** Returns the bytes of a PDF of this image, one character for each byte. */
async function read(): Promise<string> {
  const pdf = toPdf({ jpeg: JPEG, width: 20, height: 10 }, { width: 842, height: 595 });
  return Buffer.from(await pdf.arrayBuffer()).toString('latin1');
}

describe('toPdf', () => {
  it('has a table with the offset of each object, and the offset of the table', async () => {
    const file = await read();

    const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
    expect(file.slice(table)).toMatch(/^xref\n0 6\n0{10} 65535 f \n/);
    const entries = [...file.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)];
    const starts = entries.map(([, offset]) => file.slice(Number(offset), Number(offset) + 7));
    expect(starts).toEqual([1, 2, 3, 4, 5].map((number) => `${number} 0 obj`));
  });

  it('contains the bytes of the image, and says how many there are', async () => {
    const file = await read();

    const [, length, rest = ''] =
      /\/DCTDecode\/Length (\d+)>>\nstream\n([\s\S]*)$/.exec(file) ?? [];
    expect(Buffer.from(rest.slice(0, Number(length)), 'latin1')).toEqual(Buffer.from(JPEG));
    expect(rest.slice(Number(length))).toMatch(/^\nendstream\nendobj\n/);
  });

  it('has one page of the given size, which the image fills', async () => {
    const file = await read();

    expect(file).toContain('/MediaBox[0 0 842 595]');
    expect(file).toContain('q 842 0 0 595 0 0 cm /Im Do Q');
    expect(file).toContain('/Width 20/Height 10');
  });
});
