import type { Usage } from '../../contract/reply/image-response.ts';

/** Two calls' usage as one; a member that neither reports stays away. */
export function addUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!sum || !more) return sum ?? more;
  const provider = addMembers(sum.provider, more.provider);
  return {
    ...addMembers(tokensOf(sum), tokensOf(more)),
    ...(provider ? { provider } : {}),
  };
}

type Tokens = Omit<Usage, 'provider'>;

function tokensOf({ provider: _provider, ...tokens }: Usage): Tokens {
  return tokens;
}

function addMembers<T extends Readonly<Record<string, number | undefined>>>(
  one: T | undefined,
  other: T | undefined,
): T | undefined {
  if (!one || !other) return one ?? other;
  // Names come from the provider, so they are looked up where nothing is inherited.
  const sums = new Map(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    sums.set(name, (sums.get(name) ?? 0) + (value ?? 0));
  }
  // Every member comes from one of the two, so the shape is theirs.
  return Object.fromEntries(sums) as T;
}
