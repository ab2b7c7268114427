/** What a form may hold at most (contract.md 10): parts, bytes of a part's head, bytes of a name. */
export const FORM_LIMITS = { maxParts: 256, maxPartHeadBytes: 16_384, maxNameBytes: 128 } as const;
