import { isDeepStrictEqual } from 'node:util';
import type { EditFileRole, EditsFormFields } from '../contract/openai/form.ts';
import {
  type BridgeExt,
  type EditsBody,
  type GenerationsBody,
  IGNORED_FIELDS,
  type ImageReference,
  QUALITY_ALIASES,
} from '../contract/openai/images.ts';
import type { Normalization } from '../contract/reply/image-response.ts';
import type { DataUrlInput, FileInput, ImageInput } from '../contract/request/image-input.ts';
import { AnyImageRequest, type RequestOf } from '../contract/request/image-request.ts';
import {
  fieldName,
  invalidRequest,
  type RequestIssue,
  toRequestIssues,
} from '../contract/schema/issues.ts';
import { parseWithLimits, type RequestLimits } from '../contract/schema/request-limits.ts';
import { type CallersName, callersNames, type FieldRow } from './field-names.ts';
import type { Models } from './models.ts';

/** A request to one of the two image routes. The fields are valid individually. */
export interface SentRequest<I = Image> {
  readonly operation: 'generate' | 'edit';
  readonly body: SentBody;
  readonly images: SentImages<I>;
}

type Image = ImageInput | FileInput;
type Bodies = GenerationsBody | EditsBody | EditsFormFields;

/** A body without its images. */
interface SentBody extends Pick<Bodies, 'unknown'> {
  readonly fields: Omit<Bodies['fields'], 'bridge_ext' | 'images' | 'mask'> & {
    readonly bridge_ext?: Omit<BridgeExt, 'reference_images'> | undefined;
  };
}

/** A native request, and the facts for a reply in the caller's format. */
export interface Translation<I = Image> {
  readonly request: RequestOf<I>;
  readonly nameOf: CallersName;
  /** The names of the fields that were ignored. */
  readonly ignored: readonly string[];
  /** The aliases that were replaced by their values. */
  readonly aliases: readonly Normalization[];
}

interface Deps {
  readonly models: Pick<Models, 'resolve'>;
  readonly limits: RequestLimits;
}

/** A value sent by the caller, with the name and the native path of its field. */
interface NamedValue extends FieldRow {
  readonly value: unknown;
}

/** Converts a request of the OpenAI-compatible routes to a native request. Throws `invalid_request`. */
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

/** Returns every value that the caller sent, with its native field and in the form of the native request. */
function toNamedValues(
  { operation, body }: Pick<SentRequest, 'operation' | 'body'>,
  models: Deps['models'],
): NamedValue[] {
  const { bridge_ext: ext, model, ...fields } = body.fields;
  const route = model === undefined ? undefined : models.resolve(model);
  const named = new Map<string, unknown>([
    ...Object.entries(fields),
    ...withPrefix('bridge_ext.', ext),
    ...withPrefix('bridge_ext.session.', ext?.session),
    ['model', route?.model],
    ['quality', fields.quality && toQuality(fields.quality)],
    // Both fields identify the same person. `user` is ignored unless `safety_identifier` is empty or absent.
    [fields.safety_identifier ? 'user' : 'safety_identifier', undefined],
    // A stream always returns bytes.
    ['response_format', fields.stream ? undefined : fields.response_format],
  ]);
  const mode = named.get('session_key') && 'persistent';
  const rows: NamedValue[] = [
    { theirs: 'model', ours: 'routing.provider', value: route?.provider },
    { theirs: 'session_key', ours: 'session.mode', value: mode },
    ...WIRE_FIELDS[operation].map((row) => ({ ...row, value: named.get(row.theirs) })),
  ];
  return rows.filter(({ value }) => value !== undefined);
}

function withPrefix(prefix: string, fields: object = {}): (readonly [string, unknown])[] {
  return Object.entries(fields).map(([key, value]) => [`${prefix}${key}`, value]);
}

/** Builds a native request from the values. On these routes, `policies.compatibility` is `normalize` by default. */
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

/** Returns an issue for each field that was sent under two names with different values. */
function conflictsOf(named: readonly NamedValue[]): RequestIssue[] {
  return named.flatMap(({ theirs, ours, value }) => {
    const first = named.find((one) => one.ours === ours);
    if (!first || isDeepStrictEqual(first.value, value)) return [];
    const message = `must not differ from ${first.theirs}`;
    return [{ field: theirs, code: 'invalid_combination', message }];
  });
}

function ignoredOf({ fields, unknown }: SentRequest['body']): string[] {
  return [...IGNORED_FIELDS.filter((name) => fields[name] !== undefined), ...unknown];
}

function isStrict(named: readonly NamedValue[]): boolean {
  return named.some(({ ours, value }) => ours === 'policies.compatibility' && value === 'strict');
}

function toRefusal(name: string): RequestIssue {
  return { field: fieldName(name), code: 'unsupported_field', message: 'is not supported' };
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

const COMMON = {
  prompt: 'prompt',
  model: 'routing.model',
  n: 'parameters.n',
  size: 'parameters.size',
  quality: 'parameters.quality',
  output_format: 'parameters.output_format',
  output_compression: 'parameters.output_compression',
  background: 'parameters.background',
  moderation: 'parameters.moderation',
  partial_images: 'parameters.partial_images',
  input_fidelity: 'parameters.input_fidelity',
  complexity: 'parameters.complexity',
  response_format: 'output.response_format',
  user: 'user',
  safety_identifier: 'user',
};

const OF_EDITS = {
  provider: 'routing.provider',
  negative_prompt: 'negative_prompt',
  compatibility: 'policies.compatibility',
  revised_prompt: 'policies.revised_prompt',
  session_key: 'session.key',
};

const OF_BRIDGE_EXT = {
  'bridge_ext.provider': 'routing.provider',
  'bridge_ext.negative_prompt': 'negative_prompt',
  'bridge_ext.negative_prompt_mode': 'policies.negative_prompt',
  'bridge_ext.compatibility': 'policies.compatibility',
  'bridge_ext.revised_prompt': 'policies.revised_prompt',
  'bridge_ext.aspect_ratio': 'parameters.aspect_ratio',
  'bridge_ext.resolution': 'parameters.resolution',
  'bridge_ext.input_fidelity': 'parameters.input_fidelity',
  'bridge_ext.action': 'parameters.action',
  'bridge_ext.session.mode': 'session.mode',
  'bridge_ext.session.key': 'session.key',
  'bridge_ext.session.thread_id': 'session.thread_id',
  'bridge_ext.filename_prefix': 'output.filename_prefix',
  'bridge_ext.fallbacks': 'routing.fallbacks',
  'bridge_ext.fallback_policy': 'routing.fallback_policy',
  'bridge_ext.timeout_ms': 'timeout_ms',
  'bridge_ext.metadata': 'metadata',
};

/**
 * The fields with a counterpart in the native request. If a field has two names, errors use the first name unless only the second
 * name was sent.
 */
const WIRE_FIELDS: Readonly<Record<'generate' | 'edit', readonly FieldRow[]>> = {
  generate: toRows({ ...COMMON, ...OF_BRIDGE_EXT }),
  edit: toRows({ ...COMMON, ...OF_EDITS, ...OF_BRIDGE_EXT }),
};

function toRows(table: Readonly<Record<string, string>>): FieldRow[] {
  return Object.entries(table).map(([theirs, ours]) => ({ theirs, ours }));
}

/** The images of one request, and the caller's names of their fields. */
interface SentImages<I = Image> {
  readonly images: readonly I[];
  readonly mask: I | null;
  readonly references: readonly I[];
  readonly names: readonly FieldRow[];
}

/** The fields of a JSON body that contain images. */
interface ImageFields<I> {
  readonly images: readonly (ImageReference | I)[];
  readonly mask?: ImageReference | I | undefined;
  readonly bridge_ext?: ReferenceField<I> | undefined;
}

interface ReferenceField<I> {
  readonly reference_images?: readonly I[] | undefined;
}

/** Returns the images of a generation request: only reference images. */
export function imagesOf<I>(ext: ReferenceField<I> | undefined): SentImages<I> {
  const references = ext?.reference_images ?? [];
  return { images: [], mask: null, references, names: [ofExt] };
}

/** Returns the images of an edit that was sent as JSON. Data URLs are in a field with another name in the native request. */
export function imagesOfJson<I extends object>({
  images,
  mask,
  bridge_ext: ext,
}: ImageFields<I>): SentImages<I | DataUrlInput> {
  return {
    ...imagesOf<I | DataUrlInput>(ext),
    images: images.map(toNative),
    mask: mask ? toNative(mask) : null,
    names: [
      ofExt,
      ...['mask', ...images.map((_, index) => `images[${index}]`)].map((image) => ({
        theirs: `${image}.image_url`,
        ours: `${image}.data_url`,
      })),
    ],
  };
}

/** An edit request that was sent as a form. */
export interface EditForm {
  readonly fields: EditsFormFields;
  readonly files: Readonly<Record<EditFileRole, readonly Buffer[]>>;
}

/** Returns the images of an edit that was sent as a form, in their order. The images in `bridge_ext` follow the files. */
export function imagesOfForm({ fields: { fields }, files }: EditForm): SentImages {
  const [mask] = files.mask;
  const more = fields.bridge_ext?.reference_images ?? [];
  const references = [
    ...files.reference_image.map((_, index) => `reference_image[${index}]`),
    ...more.map((_, index) => `${ofExt.theirs}[${index}]`),
  ];
  return {
    images: files.image.map(toFile),
    mask: mask ? toFile(mask) : null,
    references: [...files.reference_image.map(toFile), ...more],
    names: [
      { theirs: 'image', ours: 'images' },
      files.reference_image.length > 0 ? { ...ofExt, theirs: 'reference_image' } : ofExt,
      ...references.map((theirs, index) => ({ theirs, ours: `${ofExt.ours}[${index}]` })),
    ],
  };
}

const ofExt = { theirs: 'bridge_ext.reference_images', ours: 'reference_images' };

function toNative<I extends object>(image: ImageReference | I): I | DataUrlInput {
  return 'image_url' in image ? { type: 'data_url', data_url: image.image_url } : image;
}

function toFile(bytes: Buffer): Image {
  return { type: 'file', bytes };
}
