/** The credentials of a bridge without certificates that neither validates nor marks images. */
export const NO_CREDENTIALS = {
  marks: false,
  validates: false,
  maxManifestBytes: 4_194_304,
  scope: undefined,
  validate: async () => undefined,
  sign: async () => ({ ok: false, failure: 'refused' }) as const,
};
