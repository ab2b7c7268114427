import type {
  ArtifactCredentials,
  JobArtifact,
  ManifestReport,
  Provenance,
} from '../../api/schemas.ts';
import { hasText, text } from '../../text/text.ts';

/** The one statement about the Content Credentials of an image. */
export type Verdict =
  | 'kept'
  | 'present'
  | 'resigned'
  | 'signed'
  | 'dropped'
  | 'none'
  | 'invalid'
  | 'link'
  | 'unreadable';

/** The verdicts from the most to the least important. */
const BY_IMPORTANCE = [
  'invalid',
  'unreadable',
  'dropped',
  'link',
  'present',
  'resigned',
  'signed',
  'kept',
] as const satisfies readonly Verdict[];

/** Returns the most important verdict on the images of a job, or undefined if no image has or had credentials. */
export function toJobVerdict(images: readonly Pick<JobArtifact, 'provenance'>[]) {
  const verdicts = images.map(({ provenance }) => provenance && toVerdict(provenance));
  return BY_IMPORTANCE.find((verdict) => verdicts.includes(verdict));
}

/** Returns the verdict from the facts of the publication, and from a check of the file, if there was one. */
export function toVerdict(
  { found, credentials }: Pick<Provenance, 'found' | 'credentials'>,
  checked?: ArtifactCredentials['state'],
): Verdict {
  // `present` as the result of a check means that the check itself failed.
  const state = checked === 'present' ? undefined : checked;
  if (state === 'invalid') return 'invalid';
  if (credentials !== 'kept') return credentials;
  switch (state ?? found) {
    case 'trusted':
    case 'valid':
      return 'kept';
    case 'invalid':
      return 'invalid';
    case 'link':
      return 'link';
    case 'present':
      return 'present';
    case 'none':
      return 'none';
    default:
      return 'unreadable';
  }
}

/** Returns the text below a verdict. For lost credentials, the text is the reason of the loss. */
export function explain(verdict: Verdict, { reason }: Provenance): string {
  if (verdict === 'dropped' && reason !== undefined) return text(`credentials.dropped.${reason}`);
  return text(`credentials.${verdict}.text`);
}

/** Returns the label of the badge on the image, or undefined if there is nothing to say. */
export function badgeText(verdict: Verdict, { found, signer }: Provenance): string | undefined {
  if (verdict === 'none') return undefined;
  // Only the certificate of a trusted signer proves the name.
  if (verdict === 'kept' && found === 'trusted' && signer !== undefined)
    return text('credentials.badge.by', { signer });
  return text(`credentials.badge.${verdict}`);
}

/** Returns true if a file says that a model has made the image or a part of the image. */
export function isMarkedAsAi({ mark, source_type: type }: Provenance): boolean {
  return mark !== 'none' && type !== undefined && /trainedAlgorithmicMedia$/i.test(type);
}

/** Returns the words for an IPTC digital source type, which is the address of a term. */
export function sourceTypeText(type: string): string {
  const term = type.slice(type.lastIndexOf('/') + 1);
  const key = `credentials.source.${term}`;
  return hasText(key) ? text(key) : term;
}

/** One entry of the story: a manifest, or an ingredient without credentials. */
export interface Chapter {
  readonly name: string;
  /** The lines that say what was done. */
  readonly said: readonly string[];
  readonly generator: string | undefined;
  readonly hasManifest: boolean;
}

/** The largest number of entries that are shown. */
const MAX_CHAPTERS = 40;

/** Returns the story of an image, newest first: its manifest, then the manifests of its ingredients. */
export function toStory(manifest: ManifestReport): readonly Chapter[] {
  const chapters: Chapter[] = [];
  const add = (report: ManifestReport, title: string | undefined): void => {
    chapters.push({
      name: report.signer ?? title ?? text('credentials.noName'),
      said: [...new Set(report.actions.map(actionText))],
      generator: report.generator,
      hasManifest: true,
    });
    for (const { title: name, manifest: inner, relationship } of report.ingredients) {
      if (inner !== undefined) add(inner, name);
      else {
        chapters.push({
          name: name ?? text('credentials.noName'),
          said: [relationshipText(relationship)],
          generator: undefined,
          hasManifest: false,
        });
      }
    }
  };
  add(manifest, undefined);
  return chapters.slice(0, MAX_CHAPTERS);
}

function actionText({ action, source_type: type }: ManifestReport['actions'][number]): string {
  const name = action.slice(action.indexOf('.') + 1);
  const key = `credentials.action.${name}`;
  const done = hasText(key) ? text(key) : name;
  return type === undefined
    ? done
    : text('credentials.actionFrom', { action: done, source: sourceTypeText(type) });
}

function relationshipText(relationship: string): string {
  const key = `credentials.relationship.${relationship}`;
  return hasText(key) ? text(key) : relationship;
}
