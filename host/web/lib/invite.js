// Where friends find this server: the address that this page has, or, where that is this machine's alone, one that the server
// knows of.

import * as house from "./house.js";

const isHere = /^(localhost|127\.|\[::1\])/.test(location.hostname);

// "http://ADDRESS/" of the server in its network; null: there is none, as far as is known.
let address = null;

export const told = (addresses) => (address = addresses[0] ?? null);
if (isHere)
  house.now().then(
    ({ addresses }) => told(addresses),
    () => {},
  );

// A link of this page for others; null: it would lead nowhere.
export function invite(link) {
  if (!isHere) return link;
  const { pathname, search } = new URL(link);
  return address && new URL(pathname + search, address).href;
}
