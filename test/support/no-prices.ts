import { createPriceList } from '../../lib/prices/price-list.ts';

/** A price list without prices. */
export const noPrices = createPriceList({
  operator: [],
  published: () => [],
  shipped: [],
  providers: new Map(),
});
