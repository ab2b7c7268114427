import * as v from 'valibot';
import { documented } from '../schema/fields.ts';

/** Maximum number of characters of a text that comes from a manifest. */
export const MAX_MANIFEST_TEXT_CHARS = 128;

/** The verdicts of a validation. */
const VERDICTS = ['none', 'trusted', 'valid', 'invalid', 'unreadable', 'link'] as const;
/**
 * The verdict on the credentials of an image. `trusted` needs trust anchors. `link`: the credentials are on a server, and are not
 * fetched.
 */
export type Verdict = (typeof VERDICTS)[number];

/** The states of credentials that were found. `present`: not checked. `too_large`: not read. */
export const FOUND = [...VERDICTS, 'present', 'too_large'] as const;
export type Found = (typeof FOUND)[number];

export const CREDENTIALS = ['none', 'kept', 'resigned', 'signed', 'dropped'] as const;

const LOSS_REASONS = [
  'converted',
  'cut_out',
  'put_back',
  'invalid',
  'unreadable',
  'too_large',
  'signing_failed',
] as const;
export type LossReason = (typeof LOSS_REASONS)[number];

/** The results of marking an image as generated. */
export const MARK_RESULTS = ['written', 'existing', 'none'] as const;
export type MarkResult = (typeof MARK_RESULTS)[number];

const FoundState = documented(
  v.picklist(FOUND),
  'The credentials of the image of the provider. If that image has none and was composited with a source: the credentials of the source. `present`: not checked. `too_large`: not read. `link`: on a server, not fetched.',
);

const SignerName = documented(
  v.optional(v.pipe(v.string(), v.maxLength(MAX_MANIFEST_TEXT_CHARS))),
  'The organisation in the certificate of these credentials. Absent unless the credentials were checked. Only `trusted` credentials prove the name.',
);

/** The facts about the provenance of an image that are known before the image is signed. */
export const RecordedProvenance = v.strictObject({ found: FoundState, signer: SignerName });

/** The provenance of a delivered image (`docs/provenance.md`). */
export const Provenance = v.strictObject({
  ...RecordedProvenance.entries,
  credentials: documented(
    v.picklist(CREDENTIALS),
    'The credentials of the delivered image. `kept`: unchanged. `resigned`: signed by the bridge, with the earlier credentials inside. `signed`: signed by the bridge, without earlier credentials. `dropped`: lost.',
  ),
  reason: documented(
    v.optional(v.picklist(LOSS_REASONS)),
    'Present with `dropped`: the step that removed the credentials or, if the bridge signs images, the reason why the image was not signed.',
  ),
  mark: documented(
    v.picklist(MARK_RESULTS),
    'The IPTC property DigitalSourceType of the delivered image: written by the bridge, part of the image of the provider, or absent.',
  ),
  source_type: documented(
    v.optional(v.pipe(v.string(), v.maxLength(256))),
    'The value of the mark: a URL of the IPTC vocabulary. A mark of the provider may be another text. Absent without a mark.',
  ),
});
export type Provenance = v.InferOutput<typeof Provenance>;
