import { VenusPage } from "./page.js";

new VenusPage(document.getElementById("app"));
