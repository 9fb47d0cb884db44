module driver

go 1.19

require crmclient v0.0.0

replace crmclient => ../../../go
