/** The third part of the emulator's tokens, in place of a signature. It identifies such a token in a file. */
const NO_SIGNATURE = 'emulated';

/** An unsigned JWT (RFC 7519). It has three parts that are not empty, because the agent's parser requires them. */
export function unsignedJwt(claims: Readonly<Record<string, unknown>>): string {
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${NO_SIGNATURE}`;
}

export function isEmulated(jwt: unknown): boolean {
  return typeof jwt === 'string' && jwt.endsWith(`.${NO_SIGNATURE}`);
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
