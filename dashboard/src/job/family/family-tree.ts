import type { Family } from '../../api/schemas.ts';

export type Relative = Family['items'][number];
export type Parent = NonNullable<Relative['derived_from']>[number];

/** A job of the family, or an image that a job used and whose job was removed. */
export type Kin =
  | { readonly kind: 'job'; readonly job: Relative }
  | { readonly kind: 'gone'; readonly image: Parent };

/** A place in the tree. Time goes from one column to the next, and each branch has a row. */
export interface Place {
  /** The id of the job, or of the removed image. */
  readonly id: string;
  readonly kin: Kin;
  readonly column: number;
  readonly row: number;
  readonly parent: Place | undefined;
  readonly children: readonly Place[];
  /** The positions of the images that the children used. */
  readonly used: ReadonlySet<number>;
}

/**
 * Arranges a family as a tree, from the sources to the newest jobs. A job that used images of several jobs stands behind the first
 * of them.
 */
export function toTree({ items, total }: Family): readonly Place[] {
  // If distant jobs are left out, a missing job need not have been removed.
  const isWhole = !total.at_least && total.count === items.length;
  const jobs = new Map(items.map((job) => [job.id, job]));
  const children = new Map<string, Relative[]>();
  const gone = new Map<string, Parent>();
  const roots: string[] = [];
  for (const job of [...items].sort((one, two) => (one.id < two.id ? -1 : 1))) {
    const parents = (job.derived_from ?? []).filter(({ job_id: id }) => id !== job.id);
    const known = parents.find(({ job_id: id }) => id !== undefined && jobs.has(id));
    const [lost] = isWhole ? parents : [];
    if (known === undefined && lost) gone.set(lost.artifact_id, lost);
    const before = known?.job_id ?? lost?.artifact_id;
    if (before === undefined) roots.push(job.id);
    else children.set(before, [...(children.get(before) ?? []), job]);
  }

  const places: Place[] = [];
  const placed = new Set<string>();
  let rows = 0;

  function place(id: string, kin: Kin, parent: Place | undefined, row: number): Place | undefined {
    // A damaged database may claim that a job descends from itself.
    if (placed.has(id)) return undefined;
    placed.add(id);
    rows = Math.max(rows, row + 1);
    const own: Place[] = [];
    const used = new Set<number>();
    const column = parent === undefined ? 0 : parent.column + 1;
    const here: Place = { id, kin, column, row, parent, children: own, used };
    places.push(here);
    for (const job of children.get(id) ?? []) {
      for (const { job_id: from, image } of job.derived_from ?? []) {
        if (from === id && image !== undefined) used.add(image);
      }
      const child = place(job.id, { kind: 'job', job }, here, own.length === 0 ? row : rows);
      if (child) own.push(child);
    }
    return here;
  }

  for (const image of gone.values()) {
    place(image.artifact_id, { kind: 'gone', image }, undefined, rows);
  }
  // Jobs of a cycle are behind no root.
  for (const id of [...roots, ...jobs.keys()]) {
    const job = jobs.get(id);
    if (job) place(id, { kind: 'job', job }, undefined, rows);
  }
  return places;
}

/** Returns the places from the first ancestor to this place. */
export function lineageOf(place: Place | undefined): readonly Place[] {
  return place === undefined ? [] : [...lineageOf(place.parent), place];
}

/** An image of the tree. The number of the first image of a place is 1. */
export interface Spot {
  readonly place: string;
  readonly number: number;
}

/** The largest number of images of a job that the tree shows. */
export const MAX_IMAGES = 4;

/** Returns the number of images that the tree shows for a place. A job without images has one empty place. */
export function countImages({ kin }: Place): number {
  const count = kin.kind === 'job' ? kin.job.artifacts.length : 1;
  return Math.min(Math.max(count, 1), MAX_IMAGES);
}

/**
 * Returns the image that a key reaches: with → the next image of the job, then the first child; with ← the image before, then the
 * image of the parent from which the job was made; with ↑ and ↓ the job above or below in the column; with Home the source.
 */
export function reach(places: readonly Place[], from: Spot, key: string): Spot | undefined {
  const here = places.find(({ id }) => id === from.place);
  if (here === undefined) return undefined;
  const { number } = from;
  if (key === 'ArrowRight') {
    if (number < countImages(here)) return { place: here.id, number: number + 1 };
    return spotOf(here.children[0]);
  }
  if (key === 'ArrowLeft') {
    return number > 1 ? { place: here.id, number: number - 1 } : originOf(here);
  }
  if (key === 'Home') return spotOf(lineageOf(here)[0]);
  const column = places
    .filter((each) => each.column === here.column)
    .toSorted((one, two) => one.row - two.row);
  const at = column.indexOf(here);
  if (key === 'ArrowUp') return spotOf(column[at - 1]);
  return key === 'ArrowDown' ? spotOf(column[at + 1]) : undefined;
}

function spotOf(place: Place | undefined): Spot | undefined {
  return place && { place: place.id, number: 1 };
}

/** Returns the image of the parent from which a job was made. */
export function originOf({ kin, parent }: Place): Spot | undefined {
  if (parent === undefined || kin.kind === 'gone') return undefined;
  const used = kin.job.derived_from?.find(({ job_id: id }) => id === parent.id)?.image ?? 0;
  return { place: parent.id, number: Math.min(used + 1, countImages(parent)) };
}
