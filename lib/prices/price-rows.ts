import * as v from 'valibot';
import { PROVIDER_KEYS } from '../config/settings/provider-names.ts';
import { parseToml } from '../config/sources/toml.ts';
import { AMOUNT, type Amount, parseAmount } from '../contract/reply/cost.ts';
import { RESOLUTIONS } from '../contract/request/parameters.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type FileProblem, readRegularFileNow } from '../platform/regular-file.ts';
import { type ModelPrice, PRICE_UNITS } from '../providers/model-prices-port.ts';

/** One price with the models that it applies to. */
export interface PriceRow extends ModelPrice {
  readonly provider?: string | undefined;
  /** The key of the kind of provider, such as `openai_images`. */
  readonly kind?: string | undefined;
  readonly dialect?: string | undefined;
  readonly service?: string | undefined;
  readonly model: string;
}

/** The value of one unit of a currency in US dollars, by currency. */
type Rates = ReadonlyMap<string, Amount>;

const MAX_BYTES = 4 * 1024 * 1024;
const AMOUNT_MESSAGE = 'must be a decimal number as text, such as "0.04", with at most 10 decimals';
const CURRENCY_MESSAGE = 'must be three uppercase letters, such as EUR';

const Name = v.pipe(v.string('must be a text'), v.minLength(1, 'must not be empty'));
const WholeNumber = v.pipe(
  v.bigint('must be a whole number'),
  v.minValue(1n, 'must be at least 1'),
  v.transform(Number),
);
const AmountText = v.pipe(
  v.string(AMOUNT_MESSAGE),
  v.regex(AMOUNT, AMOUNT_MESSAGE),
  v.transform((text) => parseAmount(text) ?? 0n),
);
const Currency = v.pipe(v.string(CURRENCY_MESSAGE), v.regex(/^[A-Z]{3}$/, CURRENCY_MESSAGE));

const Row = v.strictObject({
  provider: v.optional(Name),
  kind: v.optional(v.picklist(PROVIDER_KEYS, `must be one of ${PROVIDER_KEYS.join(', ')}`)),
  dialect: v.optional(Name),
  service: v.optional(Name),
  model: Name,
  operation: v.optional(v.picklist(['generate', 'edit'], 'must be generate or edit')),
  quality: v.optional(Name),
  resolution: v.optional(v.picklist(RESOLUTIONS, `must be one of ${RESOLUTIONS.join(', ')}`)),
  max_pixels: v.optional(WholeNumber),
  per: v.picklist(PRICE_UNITS, `must be one of ${PRICE_UNITS.join(', ')}`),
  amount: AmountText,
  currency: v.optional(Currency, 'USD'),
  at_most_units: v.optional(WholeNumber),
  source: v.optional(Name),
  date: v.optional(v.union([Name, v.date()], 'must be a date')),
});

const File = v.strictObject({
  rates: v.optional(v.record(Currency, AmountText), {}),
  price: v.optional(v.array(Row, 'must be tables'), []),
});

/**
 * Parses the text of a prices file: tables `[[price]]` and a table `[rates]`. Throws `configuration`, which names the row and the
 * field of the first error.
 */
export function parsePrices(text: string): readonly PriceRow[] {
  const reading = parseToml(text);
  if (!reading.ok) throw unusable(`line ${reading.line} ${reading.message}`);
  const parsed = v.safeParse(File, reading.table);
  if (!parsed.success) {
    // A misspelt field is named rather than the field that is missing because of it.
    const [first] = parsed.issues;
    throw unusable(toSentence(parsed.issues.find(isUnknownField) ?? first));
  }
  const { price, rates: sent } = parsed.output;
  const rates: Rates = new Map(Object.entries(sent));
  return price.map(
    ({ max_pixels: maxPixels, at_most_units: atMostUnits, source: _, date: __, ...row }, index) => {
      if (row.provider === undefined && row.kind === undefined) {
        throw unusable(`price[${index}] must have a provider or a kind`);
      }
      const amount = inDollars(row.amount, row.currency, rates);
      if (amount === undefined) {
        throw unusable(`price[${index}].currency is ${row.currency}, which [rates] does not list`);
      }
      return { ...row, maxPixels, atMostUnits, amount };
    },
  );
}

/** Reads the prices file. Without a path, there are no prices. Throws `configuration` if the file is unusable. */
export function readPrices(path: string | undefined): readonly PriceRow[] {
  if (path === undefined) return [];
  const found = readRegularFileNow(path, { maxBytes: MAX_BYTES });
  if ('problem' in found) throw unusable(SENTENCES[found.problem]);
  return parsePrices(found.bytes.toString('utf8'));
}

const SENTENCES: Readonly<Record<FileProblem['problem'], string>> = {
  absent: 'no such file',
  irregular: 'must be a regular file',
  too_large: `must be at most ${MAX_BYTES} bytes long`,
  unreadable: 'must be a readable file',
};

/** Converts an amount to US dollars. Returns undefined for a currency without a rate. */
function inDollars(amount: Amount, currency: string, rates: Rates): Amount | undefined {
  if (currency === 'USD') return amount;
  const rate = rates.get(currency);
  return rate === undefined ? undefined : (amount * rate) / 10n ** 10n;
}

function isUnknownField({ type, expected }: v.BaseIssue<unknown>): boolean {
  return type === 'strict_object' && expected === 'never';
}

function toSentence(issue: v.BaseIssue<unknown>): string {
  const { type, message, path } = issue;
  const keys = path?.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const at = keys?.join('').slice(1) ?? 'the file';
  if (type !== 'strict_object') return `${at} ${message}`;
  return `${at} ${isUnknownField(issue) ? 'is not a known field' : 'is missing'}`;
}

function unusable(reason: string): BridgeError {
  return new BridgeError('configuration', `runtime.prices_file: ${reason}`);
}
