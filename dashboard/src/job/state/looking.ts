import type { JobImage } from './job-images.ts';

export const VIEWS = ['single', 'grid', 'side', 'slider'] as const;
export type ViewName = (typeof VIEWS)[number];

/** The current view, and the images that it shows. */
export interface Looking {
  readonly view: ViewName;
  /** The views that are available for these images. */
  readonly views: readonly ViewName[];
  /** The left image of a comparison. */
  readonly a: JobImage | undefined;
  /** The image of a single view, or the right image of a comparison. */
  readonly b: JobImage | undefined;
}

/** Reads the view and the images from the query of the address. Values that do not fit the images are ignored. */
export function toLooking(query: URLSearchParams, images: readonly JobImage[]): Looking {
  const views = viewsOf(images);
  const view = views.find((each) => each === query.get('view')) ?? 'single';
  const find = (ref: string | null) => images.find((each) => each.ref === ref);
  const outputs = images.filter(({ kind }) => kind === 'output');
  const namedA = find(query.get('a'));
  const b = find(query.get('b')) ?? outputs.find((each) => each !== namedA) ?? images.at(-1);
  if (view === 'single' || view === 'grid') return { view, views, a: undefined, b };
  if (namedA !== undefined) return { view, views, a: namedA, b };
  // Without a named A, the image that is first in the strip is A.
  const [a, other] = [b, opposite(images, b)].sort(
    (one, two) => order(images, one) - order(images, two),
  );
  return { view, views, a, b: other ?? b };
}

/** Returns the image to compare `b` with: the source if `b` is an output, otherwise another output or any image. */
function opposite(images: readonly JobImage[], b: JobImage | undefined): JobImage | undefined {
  const others = images.filter((each) => each !== b);
  return (
    (b?.kind === 'output' ? others.find(({ kind }) => kind === 'source') : undefined) ??
    others.find(({ kind }) => kind === 'output') ??
    others[0]
  );
}

function order(images: readonly JobImage[], image: JobImage | undefined): number {
  return image === undefined ? -1 : images.indexOf(image);
}

function viewsOf(images: readonly JobImage[]): readonly ViewName[] {
  const outputs = images.filter(({ kind }) => kind === 'output').length;
  return VIEWS.filter((view) => {
    if (view === 'single') return true;
    return view === 'grid' ? outputs > 1 : images.length > 1;
  });
}

/** Returns the query changes that show an image after a press in the strip. If A was pressed, A and B are swapped. */
export function afterPress({ view, a, b }: Looking, pressed: JobImage) {
  if (view === 'grid') return { view: undefined, b: pressed.ref };
  if (a !== undefined && pressed === a) return { a: b?.ref, b: a.ref };
  // If the address does not name A, A is chosen according to B. Naming A keeps A unchanged when B changes.
  return { b: pressed.ref, ...(a && { a: a.ref }) };
}

/** Returns the output before (−1) or after (1) the current output. */
export function stepOutput(
  images: readonly JobImage[],
  { a, b }: Looking,
  by: -1 | 1,
): JobImage | undefined {
  const outputs = images.filter(({ kind }) => kind === 'output' || kind === 'other');
  const candidates = outputs.filter((each) => each !== a);
  const at = b === undefined ? -1 : candidates.indexOf(b);
  return at < 0 ? candidates[0] : candidates[at + by];
}
