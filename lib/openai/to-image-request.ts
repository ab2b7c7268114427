import { isDeepStrictEqual } from 'node:util';
import type { EditsFormFields } from '../contract/openai/form.ts';
import {
  type BridgeExt,
  type EditsBody,
  type GenerationsBody,
  IGNORED_FIELDS,
  QUALITY_ALIASES,
} from '../contract/openai/images.ts';
import type { Normalization } from '../contract/reply/image-response.ts';
import type { FileInput, ImageInput } from '../contract/request/image-input.ts';
import { AnyImageRequest, type RequestOf } from '../contract/request/image-request.ts';
import {
  fieldName,
  invalidRequest,
  type RequestIssue,
  toRequestIssues,
} from '../contract/schema/issues.ts';
import { parseWithLimits, type RequestLimits } from '../contract/schema/request-limits.ts';
import { type CallersName, callersNames } from './field-names.ts';
import type { RequestImages } from './images.ts';
import type { Models } from './models.ts';
import { type FieldRow, WIRE_FIELDS } from './wire-fields.ts';

/** What a caller of the two routes has sent; its fields are valid one by one. */
export interface SentRequest<I = Image> {
  readonly operation: 'generate' | 'edit';
  readonly body: SentBody;
  readonly images: RequestImages<I>;
}

type Image = ImageInput | FileInput;
type Bodies = GenerationsBody | EditsBody | EditsFormFields;

/** The images of a body count as `RequestImages` only. */
interface SentBody extends Pick<Bodies, 'unknown'> {
  readonly fields: Omit<Bodies['fields'], 'bridge_ext' | 'images' | 'mask'> & {
    readonly bridge_ext?: Omit<BridgeExt, 'reference_images'> | undefined;
  };
}

/** A native request, and what its reply needs to name fields as the caller did. */
export interface Translation<I = Image> {
  readonly request: RequestOf<I>;
  readonly nameOf: CallersName;
  /** Names of the fields that were left out. */
  readonly ignored: readonly string[];
  /** What the caller's own words were taken for. */
  readonly aliases: readonly Normalization[];
}

interface Deps {
  readonly models: Pick<Models, 'resolve'>;
  readonly limits: RequestLimits;
}

/** A value of the caller with its native field. */
interface NamedValue extends FieldRow {
  readonly value: unknown;
}

/** Converts a request of the OpenAI-familiar routes to a native one (contract.md 10). Throws `invalid_request`. */
export function toImageRequest<I>(sent: SentRequest<I>, { models, limits }: Deps): Translation<I> {
  const { operation, body, images } = sent;
  const named = toNamedValues(sent, models);
  const ignored = ignoredOf(body);
  const nameOf = callersNames([...images.names, ...named, ...WIRE_FIELDS[operation]]);
  const { names: _, references: reference_images, ...others } = images;
  const given = { ...others, reference_images };
  const draft = { ...toDraft(named), operation, ...given };
  const result = parseWithLimits(AnyImageRequest, draft, limits);
  const issues = [
    ...conflictsOf(named),
    ...(isStrict(named) ? ignored.map(toRefusal) : []),
    ...toRequestIssues(result.issues ?? []).map((issue) => ({
      ...issue,
      field: nameOf(issue.field),
    })),
  ];
  if (!result.typed || issues.length > 0) throw invalidRequest(issues);
  return {
    request: { ...result.value, ...given },
    nameOf,
    ignored,
    aliases: aliasesOf(body.fields),
  };
}

/** Every value that the caller has named, with its native field. What differs between the routes is converted here. */
function toNamedValues(
  { operation, body }: Pick<SentRequest, 'operation' | 'body'>,
  models: Deps['models'],
): NamedValue[] {
  const { bridge_ext: ext, model, ...fields } = body.fields;
  const route = model === undefined ? undefined : models.resolve(model);
  const named = new Map<string, unknown>([
    ...Object.entries(fields),
    ...Object.entries(ext ?? {}).map(([key, value]) => [`bridge_ext.${key}`, value] as const),
    ...Object.entries(ext?.session ?? {}).map(
      ([key, value]) => [`bridge_ext.session.${key}`, value] as const,
    ),
    ['model', route?.model],
    ['quality', fields.quality && toQuality(fields.quality)],
    // Both mean the same person; an empty one is none.
    [fields.safety_identifier ? 'user' : 'safety_identifier', undefined],
    // Events always carry the bytes.
    ['response_format', fields.stream ? undefined : fields.response_format],
  ]);
  const rows: NamedValue[] = WIRE_FIELDS[operation].map((row) => ({
    ...row,
    value: named.get(row.theirs),
  }));
  const implied: NamedValue[] = [
    { theirs: 'model', ours: 'routing.provider', value: route?.provider },
    {
      theirs: 'session_key',
      ours: 'session.mode',
      value: named.get('session_key') && 'persistent',
    },
  ];
  return [...implied, ...rows].filter(({ value }) => value !== undefined);
}

/** The default of these routes applies where the caller names nothing else. */
function toDraft(named: readonly NamedValue[]): Record<string, unknown> {
  const draft = new Map<string, unknown>();
  const nested = new Map([
    ['policies', new Map<string, unknown>([['compatibility', 'normalize']])],
  ]);
  for (const { ours, value } of named) {
    const [group = '', member] = ours.split('.');
    if (member === undefined) draft.set(group, value);
    else nested.set(group, (nested.get(group) ?? new Map()).set(member, value));
  }
  for (const [group, members] of nested) draft.set(group, Object.fromEntries(members));
  return Object.fromEntries(draft);
}

/** Two names for one field may both be used, but only with equal values. */
function conflictsOf(named: readonly NamedValue[]): RequestIssue[] {
  return named.flatMap(({ theirs, ours, value }, index) => {
    const first = named.find((one) => one.ours === ours);
    return first && named.indexOf(first) < index && !isDeepStrictEqual(first.value, value)
      ? [
          {
            field: theirs,
            code: 'invalid_combination',
            message: `must not differ from ${first.theirs}`,
          },
        ]
      : [];
  });
}

function ignoredOf({ fields, unknown }: SentRequest['body']): string[] {
  return [...IGNORED_FIELDS.filter((name) => fields[name] !== undefined), ...unknown];
}

function isStrict(named: readonly NamedValue[]): boolean {
  return named.some(({ ours, value }) => ours === 'policies.compatibility' && value === 'strict');
}

function toRefusal(name: string): RequestIssue {
  return { field: fieldName(name), code: 'unsupported_field', message: 'cannot be honoured' };
}

type Quality = NonNullable<SentRequest['body']['fields']['quality']>;

function toQuality(quality: Quality): Exclude<Quality, keyof typeof QUALITY_ALIASES> {
  return quality === 'standard' || quality === 'hd' ? QUALITY_ALIASES[quality] : quality;
}

function aliasesOf({ quality }: SentRequest['body']['fields']): Normalization[] {
  if (quality === undefined || quality === toQuality(quality)) return [];
  const effective = toQuality(quality);
  return [{ field: 'quality', requested: quality, effective, reason: 'compatibility_alias' }];
}
