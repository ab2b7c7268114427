import type { Size } from '../../images/measure-image.ts';

interface Picture extends Size {
  readonly jpeg: Uint8Array<ArrayBuffer>;
}

/** Returns a PDF of one page that a JPEG image fills (ISO 32000-1, 7.5). The size of the page is in points. */
export function toPdf({ jpeg, width, height }: Picture, page: Size): Blob {
  const drawing = `q ${page.width} 0 0 ${page.height} 0 0 cm /Im Do Q`;
  const objects: readonly (readonly BlobPart[])[] = [
    ['<</Type/Catalog/Pages 2 0 R>>'],
    ['<</Type/Pages/Kids[3 0 R]/Count 1>>'],
    [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${page.width} ${page.height}]`,
      '/Resources<</XObject<</Im 5 0 R>>>>/Contents 4 0 R>>',
    ],
    [`<</Length ${drawing.length}>>\nstream\n${drawing}\nendstream`],
    [
      `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB`,
      `/BitsPerComponent 8/Filter/DCTDecode/Length ${jpeg.length}>>\nstream\n`,
      jpeg,
      '\nendstream',
    ],
  ];
  const parts: BlobPart[] = [];
  let length = 0;
  const add = (part: BlobPart) => {
    parts.push(part);
    // All texts of the file are ASCII.
    length += typeof part === 'string' ? part.length : (part as Uint8Array).length;
  };

  add('%PDF-1.4\n');
  const offsets = objects.map((content, index) => {
    const offset = length;
    for (const part of [`${index + 1} 0 obj\n`, ...content, '\nendobj\n']) add(part);
    return offset;
  });
  const table = length;
  // Each entry of the table has 20 bytes.
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`);
  add(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(parts, { type: 'application/pdf' });
}
