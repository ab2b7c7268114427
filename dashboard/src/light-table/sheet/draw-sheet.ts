import { isMissing } from '../../gallery/actions/save-images.ts';
import { thumbnailPath } from '../../images/image-cache.ts';
import type { Page } from '../../page.ts';
import { formatDate, text } from '../../text/text.ts';
import type { TableImage } from '../table-state.ts';
import { toPdf } from './pdf.ts';
import { layoutSheet, SHEETS, type SheetName } from './sheet-layout.ts';

export type SheetFormat = 'pdf' | 'png';

/** An image on the table, with its number there. */
export interface NumberedImage extends TableImage {
  readonly number: number;
}

interface Sheet {
  /** Undefined if no image could be read. */
  readonly blob: Blob | undefined;
  /** The number of images that were left out because the bridge no longer has them. */
  readonly missing: number;
}

const FONT = 'system-ui, sans-serif';
const QUALITY = 0.92;

/** Draws images on a white page, each with its number, its prompt and its model. Throws ApiError if the bridge does not respond. */
export async function drawSheet(
  { api }: Pick<Page, 'api'>,
  images: readonly NumberedImage[],
  { sheet, format }: { readonly sheet: SheetName; readonly format: SheetFormat },
): Promise<Sheet> {
  const { pixels, points } = SHEETS[sheet];
  const read: { readonly one: NumberedImage; readonly bitmap: ImageBitmap }[] = [];
  try {
    for (const one of images) {
      const bitmap = await readBitmap(api, one, pixels.width / Math.sqrt(images.length));
      if (bitmap !== undefined) read.push({ one, bitmap });
    }
    const missing = images.length - read.length;
    if (read.length === 0) return { blob: undefined, missing };
    const canvas = new OffscreenCanvas(pixels.width, pixels.height);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('the browser has no canvas');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, pixels.width, pixels.height);
    paint(context, read);
    if (format === 'png')
      return { blob: await canvas.convertToBlob({ type: 'image/png' }), missing };
    const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
    const bytes = new Uint8Array(await jpeg.arrayBuffer());
    return { blob: toPdf({ jpeg: bytes, ...pixels }, points), missing };
  } finally {
    for (const { bitmap } of read) bitmap.close();
  }
}

/** Reads an image in about the size in which it is drawn. Resolves with undefined if the bridge no longer has the image. */
async function readBitmap(
  api: Page['api'],
  { id }: NumberedImage,
  edge: number,
): Promise<ImageBitmap | undefined> {
  try {
    const reply = await api.bytes(thumbnailPath(id, edge, edge, 1));
    return await createImageBitmap(await reply.blob());
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function paint(
  context: OffscreenCanvasRenderingContext2D,
  read: readonly { readonly one: NumberedImage; readonly bitmap: ImageBitmap }[],
): void {
  const { line, head, cells } = layoutSheet(
    context.canvas,
    read.map(({ bitmap }) => bitmap),
  );
  context.textBaseline = 'top';
  context.fillStyle = '#555';
  context.font = `${line * 0.8}px ${FONT}`;
  const count = text('card.images', { count: read.length });
  context.fillText(`${count}, ${formatDate(Date.now() / 1000)}`, head.left, head.top, head.width);
  for (const [index, { one, bitmap }] of read.entries()) {
    const cell = cells[index];
    if (cell === undefined) continue;
    const { image, caption } = cell;
    context.drawImage(bitmap, image.left, image.top, image.width, image.height);
    const { request, result } = one.job;
    const lines = [
      `${one.number}  ${request.prompt}`,
      result?.model ?? request.routing.model ?? '',
    ];
    for (const [row, words] of lines.entries()) {
      context.fillStyle = row === 0 ? '#111' : '#555';
      context.font = `${row === 0 ? 600 : 400} ${line * 0.8}px ${FONT}`;
      const top = caption.top + line * (0.4 + row);
      context.fillText(shortened(context, words, caption.width), caption.left, top, caption.width);
    }
  }
}

/** Shortens a text with an ellipsis to a width in pixels. */
function shortened(
  context: OffscreenCanvasRenderingContext2D,
  words: string,
  width: number,
): string {
  const letters = [...words.replace(/\s+/g, ' ').slice(0, 300)];
  if (context.measureText(letters.join('')).width <= width) return letters.join('');
  while (letters.length > 0 && context.measureText(`${letters.join('')}…`).width > width) {
    letters.pop();
  }
  return `${letters.join('')}…`;
}
