import { choice, integer, optionalText, section } from '../values/field.ts';
import { PATH } from '../values/text-rules.ts';

/** The settings for marks and credentials (C2PA) of delivered images. */
export const PROVENANCE = section({
  mark: choice(['missing', 'never'], {
    default: 'missing',
    about:
      'Images that are marked as generated, with the IPTC property DigitalSourceType in their XMP. With "missing", images that have neither a mark nor credentials (C2PA). With "never", none: images that the bridge does not change have the bytes of the provider.',
  }),
  check: choice(['detect', 'validate'], {
    default: 'detect',
    about:
      'Examination of the credentials (C2PA) of provider images. With "detect", the bridge only finds credentials. With "validate", the bridge also checks the signatures. Signatures are always checked if `provenance.signing` is set.',
  }),
  trust_anchors_file: optionalText({
    rule: PATH,
    unset: 'unset: valid credentials are `valid`, never `trusted`',
    about:
      'Path of the certificates (PEM, at most 1,000 and 4 MiB) that make the signer of an image trusted. A change takes effect immediately.',
  }),
  max_manifest_bytes: integer({
    default: 4_194_304,
    min: 65_536,
    max: 16_777_216,
    about:
      'Maximum size of the credentials of one image. Larger credentials are not read. They stay in an image that is delivered unchanged.',
  }),
  timeout_ms: integer({
    default: 2000,
    min: 100,
    max: 30_000,
    about: 'Maximum time of one validation or signature.',
  }),
  signing: section({
    certificate_file: optionalText({
      rule: PATH,
      unset: 'unset: the bridge signs no image',
      about:
        'Path of the certificates (PEM) with which the bridge signs images: 1 to 8, the certificate of the signer first. A change takes effect immediately.',
    }),
    key_file: optionalText({
      rule: PATH,
      about:
        'Path of the key of the first certificate (PKCS#8 as PEM; P-256, P-384 or Ed25519). Only its owner may have access to the file. A change takes effect immediately.',
    }),
    scope: choice(['changed', 'all'], {
      default: 'changed',
      about:
        'Images that the bridge signs. With "changed", images with credentials that the bridge changes. With "all", also images without credentials.',
    }),
  }),
});
