import type { ImageResponse, Job } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { parseSize } from '../../make/size/shapes.ts';
import { formatBytes, hasText, type TextKey, text } from '../../text/text.ts';

type Verdict = ImageResponse['delivered'][number]['size'];
type Change = ImageResponse['normalizations'][number];

/** One requested setting and its result. */
export interface Fact {
  readonly name: string;
  /** The requested value, if it differs from the delivered value. */
  readonly asked: string | undefined;
  readonly got: string;
  readonly verdict: Verdict;
  readonly why: string | undefined;
}

/** Compares the requested settings with the delivered images, for the settings whose effect is visible. */
export function toFacts(result: ImageResponse): readonly Fact[] {
  const { requested, effective, normalizations, data } = result;
  const why = (name: string) => whyOf(normalizations, name);
  const shape = requested.aspect_ratio ?? requested.resolution ?? toSizeText(requested.size);
  const first = data[0];
  const sizes = new Set(data.map(({ width, height }) => toSizeText(`${width}x${height}`)));
  const bytes = data.reduce((sum, each) => sum + each.bytes, 0) / Math.max(1, data.length);
  return [
    ...(first === undefined
      ? []
      : [
          toFact('job.fact.size', verdictOf(result, 'size'), {
            asked: shape,
            got: [...sizes].join(text('list.separator')),
            why: why('size'),
          }),
          toFact('job.fact.format', verdictOf(result, 'format'), {
            asked: requested.output_format.toUpperCase(),
            got: text(data.length > 1 ? 'job.fact.format.each' : 'job.fact.format.one', {
              format: first.format.toUpperCase(),
              bytes: formatBytes(bytes),
            }),
            why: why('output_format'),
          }),
        ]),
    ...toQuality(requested.quality, effective.quality, why('quality')),
    ...toBackground(result, why('background')),
    ...normalizations.filter(({ field }) => field === 'mask').map(toMask),
    ...normalizations.filter(isOnItsOwn).map(toChange),
  ];
}

/** Returns the requested settings of a job that has no result to compare them with. */
export function toAsked({ request }: Pick<Job, 'request'>): readonly (readonly [string, string])[] {
  const { size, aspect_ratio, resolution, quality, output_format, background, n } =
    request.parameters;
  const { provider, model } = request.routing;
  const rows: readonly (readonly [TextKey, string | undefined])[] = [
    ['job.fact.model', model ?? provider ?? undefined],
    ['job.fact.size', aspect_ratio ?? resolution ?? toSizeText(size)],
    ['job.fact.count', String(n)],
    ['job.fact.format', output_format?.toUpperCase()],
    ['plan.field.quality', quality === 'auto' ? undefined : toValue(quality)],
    ['plan.field.background', background === 'auto' ? undefined : toValue(background)],
  ];
  return rows.flatMap(([key, value]) => (value === undefined ? [] : [[text(key), value] as const]));
}

/** Returns `changed` if any image differs, `honoured` if all images match, otherwise `unspecified`. */
function verdictOf({ delivered }: ImageResponse, what: 'size' | 'format' | 'alpha'): Verdict {
  const verdicts = delivered.map((each) => each[what]);
  if (verdicts.includes('changed')) return 'changed';
  return verdicts.length > 0 && verdicts.every((each) => each === 'honoured')
    ? 'honoured'
    : 'unspecified';
}

function toQuality(requested: string, effective: string, why: string | undefined): readonly Fact[] {
  if (requested === 'auto' && effective === 'auto') return [];
  const isSame = requested === effective;
  return [
    toFact('plan.field.quality', isSame ? 'honoured' : 'changed', {
      asked: toValue(requested),
      got: toValue(effective),
      why: isSame ? undefined : why,
    }),
  ];
}

function toBackground(result: ImageResponse, why: string | undefined): readonly Fact[] {
  const { background } = result.requested;
  const verdict = verdictOf(result, 'alpha');
  if (background === 'auto') return [];
  const opposite = background === 'transparent' ? 'opaque' : 'transparent';
  const got = toValue(verdict === 'changed' ? opposite : background);
  return [toFact('plan.field.background', verdict, { asked: toValue(background), got, why })];
}

/** Creates a fact. The requested value is shown only if it was changed. */
function toFact(
  key: TextKey,
  verdict: Verdict,
  { asked, got, why }: Pick<Fact, 'asked' | 'got' | 'why'>,
): Fact {
  return { name: text(key), asked: verdict === 'changed' ? asked : undefined, got, verdict, why };
}

/** Settings whose changes are shown in their own rows. */
const IN_ROWS = ['size', 'output_format', 'quality', 'background', 'mask'];

function isOnItsOwn({ field, reason }: Change): boolean {
  // A model always chooses the action itself, so this change is not shown.
  return !IN_ROWS.includes(nameOf(field)) && reason !== 'provider_uses_automatic_action';
}

/** Describes a mask that the bridge applied by restoring the area outside the mask. */
function toMask({ reason }: Change): Fact {
  return {
    name: text('plan.field.mask'),
    asked: undefined,
    got: text('job.fact.mask'),
    verdict: 'honoured',
    why: text(`job.reason.${reason}`),
  };
}

function toChange({ field, requested, effective, reason }: Change): Fact {
  const name = nameOf(field);
  const key = `plan.field.${name}`;
  const isDropped = effective === null || effective === false || effective === 0;
  return {
    name: hasText(key) ? text(key) : name,
    asked: typeof requested === 'boolean' ? undefined : toValue(String(requested ?? '')),
    got: isDropped ? text('job.fact.leftOut') : toValue(String(effective)),
    verdict: 'changed',
    why: text(`job.reason.${reason}`),
  };
}

function whyOf(changes: readonly Change[], name: string): string | undefined {
  const change = changes.find(({ field }) => nameOf(field) === name);
  return change && text(`job.reason.${change.reason}`);
}

function nameOf(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

/** Returns the display text for a value of the API, or the value itself if it has no display text. */
export function toValue(value: string): string {
  const key = `job.value.${value}`;
  return hasText(key) ? text(key) : (toSizeText(value) ?? value);
}

function toSizeText(size: string): string | undefined {
  const parsed = parseSize(size);
  if (parsed === undefined) return size === 'auto' ? text('job.value.auto') : undefined;
  return text('size', { width: String(parsed.width), height: String(parsed.height) });
}

/** Describes the delivery of the webhook about the end of a job. Returns undefined if the job has no webhook. */
export function toWebhookText(job: Job): string | undefined {
  if (job.webhook === undefined) return undefined;
  const { status, attempts: count, last_status: reply } = job.webhook;
  if (status === 'delivered') return text('job.webhook.delivered', { count });
  if (isOpen(job)) return text('job.webhook.atEnd');
  if (count === 0) return text('job.webhook.sending');
  const why =
    reply === undefined
      ? text('job.webhook.noReply')
      : text('job.webhook.replied', { status: reply });
  return text(`job.webhook.${status}`, { count, why });
}
