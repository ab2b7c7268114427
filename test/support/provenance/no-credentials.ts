/** The credentials of a bridge without certificates that does not validate images. */
export const NO_CREDENTIALS = {
  validates: false,
  maxManifestBytes: 4_194_304,
  scope: undefined,
  validate: async () => undefined,
  sign: async () => ({ ok: false, failure: 'refused' }) as const,
};
