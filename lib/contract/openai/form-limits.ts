/** The limits of a form: number of parts, bytes of the head of a part, bytes of a name. */
export const FORM_LIMITS = { maxParts: 256, maxPartHeadBytes: 16_384, maxNameBytes: 128 } as const;
