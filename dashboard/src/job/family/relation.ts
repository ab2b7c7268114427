import { originOf, type Place, type Relative } from './family-tree.ts';

/** The way in which a job was made from an image of its parent. */
export interface Relation {
  readonly kind: 'edit' | 'variation' | 'crop' | 'reference';
  /** The number of the image of the parent. */
  readonly number: number;
}

/** Returns true for a job in which the bridge cut an image, without a model. */
export function isCrop({ provider, model }: Pick<Relative, 'provider' | 'model'>): boolean {
  return provider === 'image-bridge' && model === 'crop';
}

/** Returns the relation of a job to its parent. Undefined for a source, and for a job whose parent was removed. */
export function relationOf(place: Place): Relation | undefined {
  const { kin, parent } = place;
  const origin = originOf(place);
  if (kin.kind === 'gone' || parent?.kin.kind !== 'job' || origin === undefined) return undefined;
  return { kind: kindOf(kin.job, parent.kin.job), number: origin.number };
}

function kindOf(job: Relative, parent: Relative): Relation['kind'] {
  if (isCrop(job)) return 'crop';
  if (job.prompt === parent.prompt) return 'variation';
  return job.operation === 'edit' ? 'edit' : 'reference';
}
