import type { Size } from '../../images/measure-image.ts';
import { columnsFor, fitInto, type Rect } from '../../job/stage/geometry.ts';

/** The pages of a contact sheet: the pixels that are drawn, and the size in a PDF in points, of which an inch has 72. */
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
  const [margin, gap, line] = [MARGIN, GAP, LINE].map((share) => Math.round(share * page.height));
  const [m, g, l] = [margin ?? 0, gap ?? 0, line ?? 0];
  const captionHeight = l * 2.5;
  const head = { left: m, top: m, width: page.width - 2 * m, height: l };
  const top = m + l + g;
  const pane = { width: page.width - 2 * m, height: page.height - m - top };
  const [first = { width: 3, height: 2 }] = images;
  const columns = columnsFor(images.length, first.width / first.height, pane);
  const rows = Math.ceil(images.length / columns);
  const width = (pane.width - (columns - 1) * g) / columns;
  const height = (pane.height - (rows - 1) * g) / rows - captionHeight;
  const cells = images.map((size, index) => {
    const left = m + (index % columns) * (width + g);
    const y = top + Math.floor(index / columns) * (height + captionHeight + g);
    const fitted = fitInto(size, { width, height }, Number.POSITIVE_INFINITY);
    const image = { ...fitted, left: left + fitted.left, top: y + fitted.top };
    return { image, caption: { left, top: y + height, width, height: captionHeight } };
  });
  return { line: l, head, cells };
}
