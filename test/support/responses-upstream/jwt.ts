/** The third part of our tokens: nobody signed them, and whoever finds one in a file knows it for ours. */
const NO_SIGNATURE = 'emulated';

/** An unsigned JWT (RFC 7519). It has three parts that are not empty, because the agent's parser wants them. */
export function unsignedJwt(claims: Readonly<Record<string, unknown>>): string {
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${NO_SIGNATURE}`;
}

export function isEmulated(jwt: unknown): boolean {
  return typeof jwt === 'string' && jwt.endsWith(`.${NO_SIGNATURE}`);
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
