import type { Size } from '../../images/measure-image.ts';
import { columnsFor, fitInto, type Rect } from '../../job/stage/geometry.ts';

/** The pages of a contact sheet, each with the size of its drawing in pixels and of its PDF in points (72 points are an inch). */
export const SHEETS = {
  a4: { pixels: { width: 2339, height: 1654 }, points: { width: 842, height: 595 } },
  letter: { pixels: { width: 2200, height: 1700 }, points: { width: 792, height: 612 } },
  screen: { pixels: { width: 1920, height: 1080 }, points: { width: 1440, height: 810 } },
} as const;

export type SheetName = keyof typeof SHEETS;

/** The margin of the page, and the space between two cells, as shares of the height of the page. */
const MARGIN = 0.04;
const GAP = 0.02;
/** The height of a line of text as a share of the height of the page. */
const LINE = 0.022;

export interface SheetLayout {
  /** The height of a line of text in pixels. */
  readonly line: number;
  /** The place of the text at the top of the page. */
  readonly head: Rect;
  /** The places of each image and of its caption of two lines, in the order of the images. */
  readonly cells: readonly { readonly image: Rect; readonly caption: Rect }[];
}

/** Places images on a page, in rows, each as large as its cell permits. */
export function layoutSheet(page: Size, images: readonly Size[]): SheetLayout {
  const toPixels = (share: number) => Math.round(share * page.height);
  const [margin, gap, line] = [toPixels(MARGIN), toPixels(GAP), toPixels(LINE)];
  const captionHeight = line * 2.5;
  const head = { left: margin, top: margin, width: page.width - 2 * margin, height: line };
  const top = margin + line + gap;
  const pane = { width: head.width, height: page.height - margin - top };
  const [first = { width: 3, height: 2 }] = images;
  const columns = columnsFor(images.length, first.width / first.height, pane);
  const rows = Math.ceil(images.length / columns);
  const width = (pane.width - (columns - 1) * gap) / columns;
  const height = (pane.height - (rows - 1) * gap) / rows - captionHeight;
  const cells = images.map((size, index) => {
    const left = margin + (index % columns) * (width + gap);
    const y = top + Math.floor(index / columns) * (height + captionHeight + gap);
    const fitted = fitInto(size, { width, height }, Number.POSITIVE_INFINITY);
    const image = { ...fitted, left: left + fitted.left, top: y + fitted.top };
    return { image, caption: { left, top: y + height, width, height: captionHeight } };
  });
  return { line, head, cells };
}
