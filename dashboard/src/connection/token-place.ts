/** Returns the key under which a storage keeps something for a token. The key does not reveal the token (FNV-1a). */
export function tokenPlace(prefix: string, token: string | undefined): string {
  let value = 0x811c9dc5;
  for (const unit of token ?? '') {
    value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  }
  return prefix + (value >>> 0).toString(16);
}
