import type { JobImage } from './job-images.ts';

export const VIEWS = ['single', 'grid', 'side', 'slider'] as const;
export type ViewName = (typeof VIEWS)[number];

/** What is looked at, and how. */
export interface Looking {
  readonly view: ViewName;
  /** The views that these images have. */
  readonly views: readonly ViewName[];
  /** On the left of a comparison. */
  readonly a: JobImage | undefined;
  /** The image of a single view; on the right of a comparison. */
  readonly b: JobImage | undefined;
}

/** What the query of the address asks for, as far as the images have it. */
export function toLooking(query: URLSearchParams, images: readonly JobImage[]): Looking {
  const views = viewsOf(images);
  const view = views.find((each) => each === query.get('view')) ?? 'single';
  const find = (ref: string | null) => images.find((each) => each.ref === ref);
  const outputs = images.filter(({ kind }) => kind === 'output');
  const namedA = find(query.get('a'));
  const b = find(query.get('b')) ?? outputs.find((each) => each !== namedA) ?? images.at(-1);
  if (view === 'single' || view === 'grid') return { view, views, a: undefined, b };
  return { view, views, a: namedA ?? opposite(images, b), b };
}

/** An edit is compared with its source, an output with the one before or after it. */
function opposite(images: readonly JobImage[], b: JobImage | undefined): JobImage | undefined {
  const others = images.filter((each) => each !== b);
  return (
    (b?.kind === 'output' ? others.find(({ kind }) => kind === 'source') : undefined) ??
    others.find(({ kind }) => kind === 'output') ??
    others[0]
  );
}

function viewsOf(images: readonly JobImage[]): readonly ViewName[] {
  const outputs = images.filter(({ kind }) => kind === 'output').length;
  return VIEWS.filter((view) => {
    if (view === 'single') return true;
    return view === 'grid' ? outputs > 1 : images.length > 1;
  });
}

/** The changes of the query by which a press in the strip shows an image. What is A and pressed trades its place with B. */
export function afterPress({ view, a, b }: Looking, pressed: JobImage) {
  if (view === 'grid') return { view: undefined, b: pressed.ref };
  if (a !== undefined && pressed === a) return { a: b?.ref, b: a.ref };
  // What is not named follows from B: it stays what it is when B changes.
  return { b: pressed.ref, ...(a && { a: a.ref }) };
}

/** The output before (−1) or after (1) the one that is shown. */
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
