/** A scope with queued jobs, as the row of the scope stores it. */
export interface WaitingScope {
  readonly scope: string;
  readonly queued: number;
  /** The number of the last claim of the scope, or the lowest waiting turn at the time when its first job was queued. */
  readonly turn: number;
  /** Orders scopes with equal turns. */
  readonly joined: number;
}

/** The jobs of a scope that are claimed, and the number of the last of these claims. */
export interface ScopeTurns {
  readonly scope: string;
  readonly jobs: number;
  readonly turn: number;
}

/**
 * Distributes claims over scopes, as if each claim were made alone: the next job is always taken from the scope with the lowest turn,
 * whose turn is then the number of the claim. `claims` is the number of all earlier claims, and `jobs` the number of new claims.
 */
export function takeTurns(
  waiting: readonly WaitingScope[],
  { jobs, claims }: { readonly jobs: number; readonly claims: number },
): readonly ScopeTurns[] {
  const scopes: Taking[] = waiting.map((one) => ({ ...one, jobs: 0 }));
  for (let claim = claims + 1; claim <= claims + jobs; claim += 1) {
    const [next] = scopes.filter((one) => one.jobs < one.queued).sort(byTurn);
    if (!next) break;
    next.jobs += 1;
    next.turn = claim;
  }
  return scopes.flatMap(({ scope, jobs: taken, turn }) =>
    taken > 0 ? [{ scope, jobs: taken, turn }] : [],
  );
}

type Taking = { -readonly [K in keyof WaitingScope]: WaitingScope[K] } & { jobs: number };

function byTurn(a: WaitingScope, b: WaitingScope): number {
  return a.turn - b.turn || a.joined - b.joined;
}
