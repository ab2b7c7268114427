/** The third part of the tokens of the emulator, in place of a signature. It identifies such a token in a file. */
const NO_SIGNATURE = 'emulated';

/** Returns an unsigned JWT (RFC 7519). None of its three parts is empty, because the parser of the agent requires that. */
export function unsignedJwt(claims: Readonly<Record<string, unknown>>): string {
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${NO_SIGNATURE}`;
}

export function isEmulated(jwt: unknown): boolean {
  return typeof jwt === 'string' && jwt.endsWith(`.${NO_SIGNATURE}`);
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
