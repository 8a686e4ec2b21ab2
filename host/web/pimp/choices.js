// What this user may sensibly do now, by the mirror alone, and why not. Each function gives "" if it may be done, else the
// reason. The server has the last word: of what locks somebody's worth only debts are reckoned here, and no claims.

import { DEEDS, GROUPS } from "./facts.js";
import { lang } from "./lang.js";
import { FINISHED, JAIL_CARDS, SETUP, isDebt, level } from "./mirror.js";
import { person } from "./words.js";

const isStreet = (deed) => DEEDS[deed][3] > 0;

export const price = (deed) => DEEDS[deed][2];
export const mortgageValue = (deed) => Math.floor(price(deed) / 2);
export const unmortgageCost = (deed) => Math.floor((mortgageValue(deed) * 11) / 10);
export const houseCost = (deed) => DEEDS[deed][3];

function group(t, deed) {
  const number = DEEDS[deed][1];
  const lots = GROUPS[number][1];
  const levels = t.groupLevels(number);
  return {
    lots,
    mine: t.groupOwner(number) === t.me,
    low: Math.min(...levels),
    high: Math.max(...levels),
    mortgaged: lots.some((lot) => t.deeds[lot].mortgaged),
    name: lang.groups[number],
  };
}

export const isMyStart = (t) =>
  t.prompt.player === t.me &&
  ((t.prompt.kind === "start" && t.prompt.mayThrow) || (t.prompt.kind === "jail" && t.prompt.mayBuild));

// Who would be worth less than a debt afterwards, one of those that count, may not do what costs so much (pimp 11.3).
function lock(t, loss, counts = () => true) {
  const left = t.worth(t.me) - loss;
  const debt = t.openDeals.find(
    (deal) => isDebt(deal) && deal.kind !== "jail" && counts(deal) && deal.amount > left,
  );
  return debt ? lang.settleFirst(debt.id) : "";
}

export function buyRefusal(t, deed, sum) {
  return t.cash >= sum ? lock(t, sum - mortgageValue(deed)) : lang.raiseOrAuction(t.cash, sum - t.cash);
}

export function buildRefusal(t, deed) {
  const { mine, low, mortgaged, name } = group(t, deed);
  const now = level(t.deeds[deed]);
  if (!isStreet(deed)) return lang.nothingToBuild;
  if (!mine) return lang.needGroup(name);
  if (mortgaged) return lang.groupMortgaged(name);
  if (now >= 5) return lang.hotelAlready;
  if (now > low) return lang.buildEvenly;
  if (!isMyStart(t)) return lang.onlyAtStart;
  if (now === 4 && t.bank.hotels === 0) return lang.noHotelLeft;
  if (now < 4 && t.bank.houses === 0) return lang.noHouseLeft;
  if (t.cash < houseCost(deed)) return lang.houseCosts(houseCost(deed), t.cash);
  return lock(t, houseCost(deed) / 2);
}

export function sellRefusal(t, deed) {
  const { high } = group(t, deed);
  const now = level(t.deeds[deed]);
  if (now === 0) return lang.nothingBuilt;
  if (now < high) return lang.sellEvenly;
  if (now === 5 && t.bank.houses < 4)
    return lang.noFourHouses;
  return "";
}

export function mortgageRefusal(t, deed) {
  if (t.deeds[deed].mortgaged) return lang.mortgagedAlready;
  if (group(t, deed).high > 0) return lang.sellGroupFirst;
  return "";
}

export function unmortgageRefusal(t, deed) {
  if (!t.deeds[deed].mortgaged) return lang.notMortgaged;
  if (t.cash < unmortgageCost(deed)) return lang.thatCosts(unmortgageCost(deed), t.cash);
  return "";
}

// One building up or down: the step between four houses and a hotel swaps pieces (pimp 9).
export function buildingStep(t, deed, up) {
  const now = level(t.deeds[deed]);
  const hotel = up ? now === 4 : now === 5;
  const one = up ? 1 : -1;
  return { property: deed, houses: hotel ? 0 : one, hotels: hotel ? one : 0 };
}

// Every building of the group at once: the way out when the bank has no houses to change hotels into.
export function clearGroup(t, deed) {
  const lots = group(t, deed).lots.filter((lot) => level(t.deeds[lot]) > 0);
  return lots.map((lot) => {
    const { houses, hotels } = t.deeds[lot];
    return { property: lot, houses: hotels ? -4 : -houses, hotels: -hotels };
  });
}

export function bidRefusal(t, bid) {
  const { leader, bid: best } = t.prompt;
  if (leader === t.me) return lang.youLeadWait;
  if (!Number.isInteger(bid) || bid < 1) return lang.wholeNumber;
  if (bid <= best) return lang.moreThan(best);
  if (bid > t.worth(t.me)) return lang.allYouCouldRaise(t.worth(t.me));
  return "";
}

// Rents and salaries owed to this user.
export const myClaims = (t) => t.claims.filter((claim) => (claim.player ?? claim.creditor) === t.me);

// --- deals -------------------------------------------------------------------------------------------------------------------

export const isEmpty = (side) => side.cash === 0 && side.deeds.size === 0 && side.cards.size === 0;

export function agreeRefusal(t, deal) {
  if (deal.mine.step === SETUP) return lang.readyFirst;
  if (deal.mine.step > FINISHED) return lang.youHaveAgreed;
  if (deal.theirs.step < FINISHED) return lang.notReadyYet(person(t, deal.other));
  return dealLock(t, deal);
}

// What is paid exactly looks only at what was owed before it, on other terms all else that is owed counts (pimp 11.5).
const isOlder = (deal) => ({ id }) => id < deal.id;
const isExact = ({ mine, theirs, amount }) =>
  mine.cash === amount && mine.deeds.size + mine.cards.size === 0 && isEmpty(theirs);

// What a debt says to a deal: who would be worth less, or gives away anything but cash, must still be able to pay.
function dealLock(t, deal) {
  const { mine, theirs } = deal;
  const counts = isDebt(deal) && isExact(deal) ? isOlder(deal) : ({ id }) => id !== deal.id;
  const sum = ({ deeds }, each) => [...deeds].reduce((all, deed) => all + each(deed, t.deeds[deed].mortgaged), 0);
  const value = (side) => side.cash + sum(side, (deed, isMortgaged) => (isMortgaged ? 0 : mortgageValue(deed)));
  const fees = sum(theirs, (deed, isMortgaged) => (isMortgaged ? unmortgageCost(deed) - mortgageValue(deed) : 0));
  const loss = value(mine) + fees - value(theirs);
  const gives = mine.deeds.size + mine.cards.size > 0 && deal.other !== 0;
  return (loss > 0 && lock(t, loss, counts)) || (gives && lock(t, 0, counts)) || "";
}

export const mayCancel = (deal) => !isDebt(deal);

export function offerRefusal(t, deed) {
  return group(t, deed).high > 0 ? lang.sellItsGroupFirst : "";
}

export const jailCard = (t) => JAIL_CARDS.find((card) => t.cards[card] === t.me);

export function payRefusal(t, deal) {
  if (t.cash >= deal.amount) return lock(t, deal.amount, isOlder(deal));
  return lang.raiseMore(t.cash, deal.amount - t.cash);
}

// Pays what is owed with cash alone, whatever lay in the deal before.
export function payment(t, deal) {
  const x = { transaction: deal.id };
  const { cash, deeds, cards, step } = deal.mine;
  const isPreset = cash === deal.amount && deeds.size === 0 && cards.size === 0;
  if (isPreset && step === FINISHED) return [["TRANSACTION_AGREE", x]];
  return [
    ...[...deeds].map((property) => ["TRANSACTION_REMOVE_PROPERTY", { ...x, property }]),
    ...[...cards].map((card) => ["TRANSACTION_REMOVE_CARD", { ...x, card }]),
    ["TRANSACTION_SET_CASH", { ...x, cash: deal.amount }],
    ["TRANSACTION_FINISH", x],
    ["TRANSACTION_AGREE", x],
  ];
}

export function paymentByCard(deal, card) {
  const x = { transaction: deal.id };
  if (deal.mine.cards.has(card) && deal.mine.cash === 0 && deal.mine.step === FINISHED)
    return [["TRANSACTION_AGREE", x]];
  return [
    ["TRANSACTION_SET_CASH", { ...x, cash: 0 }],
    ["TRANSACTION_ADD_CARD", { ...x, card }],
    ["TRANSACTION_FINISH", x],
    ["TRANSACTION_AGREE", x],
  ];
}

// All this user has is not enough (pimp 12.4), and nothing older is open.
export function bankruptRefusal(t, deal) {
  if (deal.kind === "jail" && jailCard(t) !== undefined) return lang.cardPaysBail;
  if (t.worth(t.me) >= deal.amount) return lang.canStillRaise(t.worth(t.me));
  const older = t.openDeals.find((other) => other.id < deal.id);
  if (older) return lang.settleFirst(older.id);
  return "";
}

export function transferRefusal(t) {
  if (t.openDeals.length > 0) return lang.settleOpen;
  if (t.claims.some((claim) => claim.debtor === t.me)) return lang.rentMayCome;
  return "";
}

// Who holds the game up: the one whose turn it is, who must pay, or who neither leads nor has passed (pimp 16.2).
export function mayKick(t, id) {
  if (!t.isPlaying || id === t.me || t.prompt.kind === "idle" || t.prompt.kind === "over") return false;
  if (t.prompt.kind === "auction" && t.prompt.leader !== id && !t.prompt.passed.has(id)) return true;
  return id === t.turn || id === t.prompt.player;
}
